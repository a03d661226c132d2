// Following async chains backwards.
#include "halo/semantics/facts/async_chain.h"

#include <algorithm>
#include <array>

#include "halo/ir/op_properties.h"

namespace halo {

bool PassesAsyncOn(const Module& module, const Inst& inst) {
  if (HasFlag(inst.opcode, kPassesAsync)) return true;
  if (inst.opcode != Opcode::kCustomCall) return false;
  static constexpr auto kTargets = std::to_array<std::string_view>(
      {"Sharding", "LocalToGlobalShape", "GlobalToLocalShape", "xla.sdy.LocalToGlobalShape",
       "xla.sdy.GlobalToLocalShape", "xla.sdy.FuncResultSharding"});
  const std::string_view target = module.TextOr(inst.attrs, AttrKey::k_custom_call_target);
  return std::find(kTargets.begin(), kTargets.end(), target) != kTargets.end();
}

std::optional<InstId> AsyncStartOf(const Module& module, InstId async) {
  // Each step goes to an operand; a cycle of operands ends after as many steps as instructions.
  for (size_t steps = 0; steps < module.insts.size(); ++steps) {
    const Inst& inst = module.inst(async);
    if (inst.opcode == Opcode::kAsyncStart) return async;
    if (inst.operand_count == 0) return std::nullopt;
    async = module.operands_of(inst)[0];
    if (async.index() >= module.insts.size() || !IsAsyncSource(module.inst(async).opcode)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::string_view ThreadOf(const Module& module, CompId comp) {
  const StrId thread = module.comp(comp).execution_thread;
  if (!thread.valid() || module.text(thread).empty()) return "main";
  return module.text(thread);
}

}  // namespace halo
