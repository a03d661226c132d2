// Completion scripts for the shells: commands, options, and the values that an option takes.
#ifndef TOOLS_HALO_HELP_COMPLETIONS_H_
#define TOOLS_HALO_HELP_COMPLETIONS_H_

#include <string>

#include "tools/halo/help/command_model.h"

namespace halo::tool {

std::string BashCompletion(const CommandModel& halo);
std::string ZshCompletion(const CommandModel& halo);
std::string FishCompletion(const CommandModel& halo);

}  // namespace halo::tool

#endif  // TOOLS_HALO_HELP_COMPLETIONS_H_
