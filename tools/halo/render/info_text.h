// `halo info` as text: most important first, about one screen for a large module.
#ifndef TOOLS_HALO_RENDER_INFO_TEXT_H_
#define TOOLS_HALO_RENDER_INFO_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "halo/api/info/file_info.h"

namespace halo::tool {

struct InfoTextOptions {
  bool all = false;           // truncate nothing
  std::optional<size_t> top;  // rows of each table and entries of each list
  size_t width = 0;           // columns of the terminal; 0: no limit
  bool color = false;
};

std::string InfoText(const FileInfo& file, const InfoTextOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_INFO_TEXT_H_
