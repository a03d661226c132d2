// Help on a terminal: of one command, of all, and for a user who types `halo` alone.
#ifndef TOOLS_HALO_HELP_HELP_TEXT_H_
#define TOOLS_HALO_HELP_HELP_TEXT_H_

#include <cstddef>
#include <string>

#include "tools/halo/help/command_model.h"

namespace halo::tool {

struct HelpTextOptions {
  size_t width = 0;  // columns of the terminal; 0: as wide as is easy to read
  bool color = false;
};

std::string HelpText(const CommandModel& command, const HelpTextOptions& options);
// The commands that one starts with, and how to see the others.
std::string StartText(const CommandModel& halo, const HelpTextOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_HELP_HELP_TEXT_H_
