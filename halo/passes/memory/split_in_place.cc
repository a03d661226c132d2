// Decides inside the fused computation which reads are safe: only a dynamic-slice of the same
// window at the same indices, whose elements keep their positions on the way to the update.
#include "halo/passes/memory/split_in_place.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "halo/analysis/sharing/elementwise_use.h"
#include "halo/analysis/sharing/in_place.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// The instruction of a fused computation that writes a node of its result.
InstId WriterOf(const Dataflow& flow, InstId root, uint32_t node) {
  const Module& module = flow.module();
  InstId at = root;
  while (module.inst(at).opcode == Opcode::kTuple && node != 0) {
    const int64_t step = flow.trees().FirstStep(module.inst(at).shape, node);
    const auto child = flow.trees().Child(module.inst(at).shape, step);
    node -= *child;
    at = module.operands_of(module.inst(at))[static_cast<size_t>(step)];
  }
  while (module.inst(at).opcode == Opcode::kBitcast) at = module.operands_of(module.inst(at))[0];
  return at;
}

class Split {
 public:
  Split(const Dataflow& flow, InstId fusion, const InPlacePair& pair)
      : flow_(flow), module_(flow.module()) {
    const Inst& inst = module_.inst(fusion);
    const CompId comp = FusedComputation(module_, inst);
    parameter_ = FusedParameter(module_, inst, pair.operand);
    if (!comp.valid() || !parameter_.valid() || pair.operand_node != 0) return;
    writer_ = WriterOf(flow, module_.comp(comp).root, pair.result_node);
    if (module_.inst(writer_).operand_count == 0) return;
    // The chain from the parameter to the array that is written.
    for (InstId at = module_.operands_of(module_.inst(writer_))[0]; at != parameter_;
         at = module_.operands_of(module_.inst(at))[0]) {
      if (module_.inst(at).opcode != Opcode::kBitcast) return;
      chain_.push_back(at);
    }
    needed_ = !IsSafe();
  }

  [[nodiscard]] bool needed() const { return needed_; }
  [[nodiscard]] InstId parameter() const { return parameter_; }

  // Makes the fusion write to a separate parameter instead.
  void Apply(ModuleEditor& edit, InstId own) const {
    InstId at = own;
    const CompId comp = edit.inst(parameter_).parent;
    for (size_t i = chain_.size(); i-- > 0;) {
      at = edit.Clone(chain_[i], comp, std::vector<InstId>{at});
    }
    edit.SetOperand(writer_, 0, at);
  }

 private:
  [[nodiscard]] bool IsSafe() const {
    for (const InstId at : chain_) {
      if (!UsesAreSafe(at)) return false;
    }
    return UsesAreSafe(parameter_);
  }

  [[nodiscard]] bool UsesAreSafe(InstId of) const {
    if (flow_.is_root(of)) return false;
    const std::span<const InstId> users = flow_.users().of(of);
    return std::all_of(users.begin(), users.end(), [&](InstId user) {
      if (std::find(chain_.begin(), chain_.end(), user) != chain_.end()) return true;
      if (user == writer_) return OperandCount(module_, writer_, of) == 1;
      return IsSameWindow(user, of);
    });
  }

  [[nodiscard]] bool IsSameWindow(InstId slice, InstId of) const {
    const Inst& read = module_.inst(slice);
    const Inst& write = module_.inst(writer_);
    if (read.opcode != Opcode::kDynamicSlice || write.opcode != Opcode::kDynamicUpdateSlice) {
      return false;
    }
    const std::span<const InstId> from = module_.operands_of(read), to = module_.operands_of(write);
    if (from[0] != of || to[0] != of || from.size() + 1 != to.size()) return false;
    if (!std::equal(from.begin() + 1, from.end(), to.begin() + 2)) return false;
    const auto same_dims = [&](InstId inst) {
      const std::span<const int64_t> a = module_.shapes.dims(module_.inst(inst).shape);
      const std::span<const int64_t> b = module_.shapes.dims(module_.inst(to[1]).shape);
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    std::vector<InstId> work = {slice};
    std::unordered_set<uint32_t> seen = {slice.value};
    while (!work.empty()) {
      const InstId at = work.back();
      work.pop_back();
      if (!same_dims(at) || flow_.is_root(at)) return false;
      for (const InstId user : flow_.users().of(at)) {
        if (user == writer_) {
          if (OperandNumber(module_, user, at) != 1 || OperandCount(module_, user, at) != 1) {
            return false;
          }
          continue;
        }
        if (!IsElementwise(flow_, user)) return false;
        if (seen.insert(user.value).second) work.push_back(user);
      }
    }
    return true;
  }

  const Dataflow& flow_;
  const Module& module_;
  InstId parameter_, writer_;
  std::vector<InstId> chain_;  // from the writer back to the parameter
  bool needed_ = false;
};

}  // namespace

Module SplitInPlace(Module module) {
  struct Found {
    InstId fusion;
    uint32_t operand;
    Split split;
  };
  const Dataflow flow(module);
  std::vector<Found> found;
  if (flow.problem().empty()) {
    const InPlacePairs in_place(flow, SharingRules());
    for (uint32_t i = 0; i < module.insts.size(); ++i) {
      const InstId id(i);
      if (module.inst(id).opcode != Opcode::kFusion) continue;
      for (const InPlacePair& pair : in_place.of(id)) {
        Split split(flow, id, pair);
        if (split.needed()) found.push_back({id, pair.operand, std::move(split)});
      }
    }
  }
  if (found.empty()) return module;
  ModuleEditor edit(module);
  std::unordered_set<uint32_t> done;  // computations
  for (const Found& each : found) {
    const CompId comp = FusedComputation(edit.module(), edit.inst(each.fusion));
    const bool is_first = done.insert(each.split.parameter().value).second;
    std::vector<InstId> operands = edit.operands(each.fusion);
    const auto number = static_cast<uint32_t>(operands.size());
    if (is_first) {
      const InstId parameter = each.split.parameter();
      const InstId own = edit.AddParameter(comp, number, edit.inst(parameter).shape,
                                           edit.module().name_of(edit.inst(parameter)), parameter);
      each.split.Apply(edit, own);
    }
    operands.push_back(operands[each.operand]);
    edit.SetOperands(each.fusion, operands);
  }
  return edit.Finish();
}

}  // namespace halo
