// Every op is visited once: the search for a computation stops at an op whose computation is known,
// and a chain that reaches an op of another chain ends there.
#include "halo/analysis/dataflow/async_chains.h"

#include "halo/analysis/graph/call_graph.h"

namespace halo {
namespace {

bool ContinuesChain(Opcode opcode) {
  return opcode == Opcode::kAsyncUpdate || opcode == Opcode::kAsyncDone;
}

}  // namespace

AsyncChains::AsyncChains(const Module& module, const Users& users) {
  for (size_t i = 0; i < module.insts.size(); ++i) {
    const Opcode opcode = module.insts[i].opcode;
    if (opcode == Opcode::kAsyncStart) Follow(module, users, InstId(i));
    if (opcode == Opcode::kAsyncStart || ContinuesChain(opcode)) {
      FindComputation(module, InstId(i));
    }
  }
}

void AsyncChains::FindComputation(const Module& module, InstId async) {
  std::vector<InstId> path;
  std::vector<CompId> called;
  CompId found;
  while (async.valid()) {
    const Inst& inst = module.inst(async);
    if (!RunsItsComputations(inst.opcode)) break;
    const auto [known, is_new] = computations_.try_emplace(async.value);
    if (!is_new) {  // also ends a walk around a cycle
      found = known->second;
      break;
    }
    path.push_back(async);
    module.CalledBy(inst, called);
    if (!called.empty()) found = called[0];
    if (!called.empty() || inst.opcode == Opcode::kAsyncStart || inst.operand_count == 0) break;
    async = module.operands_of(inst)[0];
  }
  for (const InstId each : path) computations_[each.value] = found;
}

void AsyncChains::Follow(const Module& module, const Users& users, InstId start) {
  std::vector<InstId> bound;
  for (InstId link = start; link.valid();) {
    const bool is_start = link == start;
    if (!is_start && !first_bound_.try_emplace(link.value, bound.size()).second) break;
    const std::span<const InstId> operands = module.operands_of(module.inst(link));
    const size_t skipped = is_start ? 0 : 1;  // operand 0 of later ops is the chain itself
    if (operands.size() > skipped) {
      bound.insert(bound.end(), operands.begin() + static_cast<ptrdiff_t>(skipped), operands.end());
    }
    if (module.inst(link).opcode == Opcode::kAsyncDone) break;
    InstId next;
    for (const InstId user : users.of(link)) {
      const Inst& inst = module.inst(user);
      // An op that only binds the result is part of another chain.
      if (ContinuesChain(inst.opcode) && module.operands_of(inst)[0] == link) next = user;
    }
    link = next;
  }
  bound_.emplace(start.value, std::move(bound));
}

CompId AsyncChains::computation(InstId async) const {
  const auto found = computations_.find(async.value);
  return found == computations_.end() ? CompId() : found->second;
}

std::span<const InstId> AsyncChains::bound(InstId start) const {
  const auto found = bound_.find(start.value);
  if (found == bound_.end()) return {};
  return found->second;
}

size_t AsyncChains::first_bound(InstId link) const {
  const auto found = first_bound_.find(link.value);
  return found == first_bound_.end() ? SIZE_MAX : found->second;
}

}  // namespace halo
