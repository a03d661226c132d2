// Chains of async-start, async-update and async-done: what an instruction continues.
#ifndef HALO_SEMANTICS_FACTS_ASYNC_CHAIN_H_
#define HALO_SEMANTICS_FACTS_ASYNC_CHAIN_H_

#include <optional>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

inline bool IsAsyncSource(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate;
}

// The async-start that a start or update belongs to; none if the chain is broken.
std::optional<InstId> AsyncStartOf(const Module& module, InstId async);

// "main" unless the computation says otherwise.
std::string_view ThreadOf(const Module& module, CompId comp);

// True for what may stand between a start and its done without ending the chain.
bool PassesAsyncOn(const Module& module, const Inst& inst);

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_ASYNC_CHAIN_H_
