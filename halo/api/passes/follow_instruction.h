// One instruction through the passes of a compilation: where it was made, what it was before, which
// kernel it went into, and after which pass it is gone.
#ifndef HALO_API_PASSES_FOLLOW_INSTRUCTION_H_
#define HALO_API_PASSES_FOLLOW_INSTRUCTION_H_

#include <string>
#include <vector>

#include "halo/api/passes/list_passes.h"

namespace halo {

// From the last state that has an instruction of that name, backwards and forwards. Only states at
// which something about it changed are listed. Empty if no state has it.
std::vector<FollowStep> FollowInstruction(const std::vector<PassState>& states,
                                          const std::string& name, const OpenOptions& options);

}  // namespace halo

#endif  // HALO_API_PASSES_FOLLOW_INSTRUCTION_H_
