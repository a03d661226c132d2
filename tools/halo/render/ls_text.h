// The contents of a dump directory, as tables.
#ifndef TOOLS_HALO_RENDER_LS_TEXT_H_
#define TOOLS_HALO_RENDER_LS_TEXT_H_

#include <cstddef>
#include <string>

#include "halo/dump/dump.h"

namespace halo::tool {

struct LsTextOptions {
  bool files = false;  // every file with its class
  bool color = false;
  size_t width = 0;  // columns of the terminal; 0: no limit
};

// The table of modules, then what is missing, unknown and omitted.
std::string LsText(const Dump& dump, const LsTextOptions& options);
// The stages of one module.
std::string LsModuleText(const Dump& dump, const DumpModule& module, const LsTextOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_LS_TEXT_H_
