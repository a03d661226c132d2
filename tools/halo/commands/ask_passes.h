// `halo ask passes DIR`: the one request about a whole dump instead of one program.
#ifndef TOOLS_HALO_COMMANDS_ASK_PASSES_H_
#define TOOLS_HALO_COMMANDS_ASK_PASSES_H_

#include <string>
#include <string_view>

#include "tools/halo/session/session.h"

namespace halo::tool {

// Returns true if the request is `passes`, as a word or as JSON.
bool IsPassesRequest(std::string_view request);

// Prints the stages of the module that session.choice selects, with what changed between them.
void PrintPasses(const std::string& path, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_COMMANDS_ASK_PASSES_H_
