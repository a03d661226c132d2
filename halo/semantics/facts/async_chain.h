// Chains of async-start, async-update and async-done: finds what an instruction continues.
#ifndef HALO_SEMANTICS_FACTS_ASYNC_CHAIN_H_
#define HALO_SEMANTICS_FACTS_ASYNC_CHAIN_H_

#include <optional>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

inline bool IsAsyncSource(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate;
}

// Returns the async-start that a start or update belongs to; none if the chain is broken.
std::optional<InstId> AsyncStartOf(const Module& module, InstId async);

// Returns "main" unless the computation specifies a thread.
std::string_view ThreadOf(const Module& module, CompId comp);

// Returns true for instructions that may be between a start and its done without ending the chain.
bool PassesAsyncOn(const Module& module, const Inst& inst);

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_ASYNC_CHAIN_H_
