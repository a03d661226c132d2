// The context of a computation decides first, then the shape, then the op.
#include "halo/view/model/storage.h"

#include <array>

#include "halo/ir/op_properties.h"

namespace halo::view {

namespace {

// Whether the element of a tuple is the only row that shows its array: the tuple is the result of
// an op that computes, or an input of the program.
bool IsFirstRow(const Module& module, const Inst& element) {
  const std::span<const InstId> operands = module.operands_of(element);
  if (operands.empty() || !operands[0].valid()) return false;
  const Inst& tuple = module.inst(operands[0]);
  const OpProperties& properties = PropertiesOf(tuple.opcode);
  if (properties.flow == OpFlow::kParameter) return module.comp(tuple.parent).is_entry;
  return !PassesValuesOn(tuple.opcode) && properties.calls != OpCalls::kRuns;
}

}  // namespace

std::string_view StorageText(Storage storage) {
  constexpr std::array<std::string_view, 5> kTexts = {"buffer", "alias", "tuple", "fused",
                                                      "applied"};
  return kTexts[static_cast<size_t>(storage)];
}

Storage StorageOf(ModuleView& view, InstId id) {
  const Module& module = view.module();
  const Inst& inst = module.inst(id);
  if (view.calls().context(inst.parent) == CallGraph::Context::kEmbedded) {
    const InstId caller = view.CallerOf(inst.parent);
    const bool is_fused =
        caller.valid() && PropertiesOf(module.inst(caller).opcode).calls == OpCalls::kFuses;
    return is_fused ? Storage::kFused : Storage::kApplied;
  }
  if (module.shapes.is_tuple(inst.shape)) return Storage::kTuple;
  if (FlowOf(inst.opcode) == OpFlow::kElement && IsFirstRow(module, inst)) return Storage::kBuffer;
  return PassesValuesOn(inst.opcode) ? Storage::kAlias : Storage::kBuffer;
}

}  // namespace halo::view
