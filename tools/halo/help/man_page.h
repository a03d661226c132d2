// Man pages: halo.1 and one page for each command, in the macros of man(7).
#ifndef TOOLS_HALO_HELP_MAN_PAGE_H_
#define TOOLS_HALO_HELP_MAN_PAGE_H_

#include <string>
#include <string_view>

#include "tools/halo/help/command_model.h"

namespace halo::tool {

// halo.1, halo-info.1
std::string ManPageName(const CommandModel& command);
std::string ManPage(const CommandModel& command, std::string_view version);

}  // namespace halo::tool

#endif  // TOOLS_HALO_HELP_MAN_PAGE_H_
