// Writing results to files: whole or not at all, compressed if the name ends in .gz.
#ifndef TOOLS_HALO_OUTPUT_FILE_H_
#define TOOLS_HALO_OUTPUT_FILE_H_

#include <string>
#include <string_view>

#include "tools/halo/session.h"

namespace halo::tool {

// "-" is standard output. False, with the reason said, if it could not be written.
bool WriteFile(const std::string& path, std::string_view bytes, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_OUTPUT_FILE_H_
