// Each round splits every refused fusion in two and lowers the parts.
#include "halo/codegen/split_kernels.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "halo/codegen/forms/lower_kernel.h"
#include "halo/codegen/kernel/kernel_key.h"
#include "halo/passes/fusion/kernel_form.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// Enough to take any fusion apart by halves; parts that are still refused then are evaluated.
constexpr int kRounds = 24;

bool IsFree(Opcode opcode) {
  return opcode == Opcode::kParameter || opcode == Opcode::kConstant || opcode == Opcode::kTuple;
}

class FusionSplitter {
 public:
  FusionSplitter(ModuleEditor& edit, InstId fusion) : edit_(edit), fusion_(fusion) {
    const Module& module = edit.module();
    std::vector<CompId> called;
    module.CalledBy(module.inst(fusion), called);
    comp_ = called[0];
    const InstId root = module.comp(comp_).root;
    is_tuple_ = module.inst(root).opcode == Opcode::kTuple;
    if (is_tuple_) {
      const std::span<const InstId> roots = module.operands_of(module.inst(root));
      roots_.assign(roots.begin(), roots.end());
    } else {
      roots_ = {root};
    }
  }

  // Returns false if there is nothing to split.
  bool Split() {
    if (is_tuple_ && roots_.size() > 1) {
      SplitRoots();
      return true;
    }
    const std::optional<InstId> cut = FindCut();
    if (!cut) return false;
    given_.emplace(cut->value, Write({*cut}, false));
    given_root_ = *cut;
    edit_.Replace(fusion_, Write(roots_, is_tuple_));
    return true;
  }

 private:
  // The instructions that `roots` are computed from, up to given values.
  std::unordered_set<uint32_t> Cone(const std::vector<InstId>& roots, InstId without) const {
    std::unordered_set<uint32_t> cone;
    std::vector<InstId> work = roots;
    while (!work.empty()) {
      const InstId id = work.back();
      work.pop_back();
      if (id == without || !cone.insert(id.value).second) continue;
      const std::span<const InstId> operands = edit_.module().operands_of(edit_.inst(id));
      work.insert(work.end(), operands.begin(), operands.end());
    }
    return cone;
  }
  [[nodiscard]] size_t Weight(const std::unordered_set<uint32_t>& cone) const {
    return static_cast<size_t>(std::ranges::count_if(
        cone, [&](uint32_t id) { return !IsFree(edit_.inst(InstId(id)).opcode); }));
  }

  // The value whose own part and the rest are both as small as possible.
  [[nodiscard]] std::optional<InstId> FindCut() const {
    const Computation& comp = edit_.module().comp(comp_);
    const size_t whole = Weight(Cone(roots_, {}));
    std::optional<InstId> best;
    size_t best_weight = whole;
    for (uint32_t i = 0; i < comp.count; ++i) {
      const InstId id(comp.first + i);
      const Inst& inst = edit_.inst(id);
      if (IsFree(inst.opcode) || !edit_.module().shapes.is_array(inst.shape) ||
          std::ranges::find(roots_, id) != roots_.end()) {
        continue;
      }
      const size_t own = Weight(Cone({id}, {}));
      if (own >= best_weight) continue;
      const size_t larger = std::max(own, Weight(Cone(roots_, id)));
      if (larger >= best_weight) continue;
      best = id;
      best_weight = larger;
    }
    return best;
  }

  void SplitRoots() {
    const auto middle = static_cast<ptrdiff_t>(roots_.size() / 2);
    std::vector<InstId> results;
    const auto write = [&](std::vector<InstId> roots) {
      const size_t count = roots.size();
      const InstId part = Write(std::move(roots), count > 1);
      const CompId parent = edit_.inst(fusion_).parent;
      if (count == 1) return results.push_back(part);
      for (size_t i = 0; i < count; ++i) {
        results.push_back(edit_.AddElement(parent, part, static_cast<int64_t>(i), fusion_));
      }
    };
    write({roots_.begin(), roots_.begin() + middle});
    write({roots_.begin() + middle, roots_.end()});
    edit_.Replace(fusion_, edit_.AddTuple(edit_.inst(fusion_).parent, results, fusion_));
  }

  InstId Inside(InstId value, CompId comp) {
    if (const auto known = copy_of_.find(value.value); known != copy_of_.end()) {
      return known->second;
    }
    const InstId operand = given_.contains(value.value)
                               ? given_.at(value.value)
                               : edit_.operand(fusion_, edit_.inst(value).extra);
    const auto number = static_cast<uint32_t>(operands_.size());
    operands_.push_back(operand);
    return copy_of_[value.value] = edit_.AddParameter(comp, number, edit_.inst(value).shape,
                                                      "param_" + std::to_string(number));
  }

  // Parts that reduce have the old fusion's form; others, loops or updates, are told apart by what
  // they compute.
  [[nodiscard]] KernelForm FormOfPart(bool reduces) const {
    const KernelForm old =
        StoredForm(edit_.module(), edit_.inst(fusion_)).value_or(KernelForm::kLoop);
    const bool is_reduction = old == KernelForm::kRow || old == KernelForm::kColumn;
    return is_reduction && !reduces ? KernelForm::kLoop : old;
  }

  // A fusion that computes these values of the old one.
  InstId Write(std::vector<InstId> roots, bool as_tuple) {
    copy_of_.clear();
    operands_.clear();
    const std::unordered_set<uint32_t> cone = Cone(roots, given_root_);
    const Computation old = edit_.module().comp(comp_);
    const CompId comp = edit_.AddComputation("fused_computation", comp_);
    bool reduces = false;
    for (uint32_t i = 0; i < old.count; ++i) {
      const InstId id(old.first + i);
      const Opcode opcode = edit_.inst(id).opcode;
      if (!cone.contains(id.value) || opcode == Opcode::kParameter || id == given_root_) continue;
      reduces = reduces || opcode == Opcode::kReduce;
      const std::span<const InstId> stored = edit_.module().operands_of(edit_.inst(id));
      std::vector<InstId> operands(stored.begin(), stored.end());
      for (InstId& operand : operands) operand = Inside(operand, comp);
      copy_of_[id.value] = edit_.Clone(id, comp, operands);
    }
    for (InstId& root : roots) root = Inside(root, comp);
    edit_.SetRoot(comp, as_tuple ? edit_.AddTuple(comp, roots) : roots[0]);
    const int64_t called = comp.value;
    Module& tables = edit_.tables();
    const auto [kind, form] = FormAttrs(tables, FormOfPart(reduces));
    const Attr attrs[] = {kind, tables.MakeInts(AttrKey::k_calls, {&called, 1}, AttrForm::kBare),
                          form};
    return edit_.Add(edit_.inst(fusion_).parent, Opcode::kFusion,
                     edit_.inst(edit_.root(comp)).shape, operands_, attrs, fusion_);
  }

  ModuleEditor& edit_;
  InstId fusion_;
  CompId comp_;
  std::vector<InstId> roots_;
  bool is_tuple_ = false;
  std::unordered_map<uint32_t, InstId> given_;  // values of the old fusion, outside it
  InstId given_root_;                           // the one that is given
  std::unordered_map<uint32_t, InstId> copy_of_;
  std::vector<InstId> operands_;
};

}  // namespace

bool SplitKernels(Module& module, const std::set<std::string>& refused, int64_t max_kernel_values,
                  PassLog& log) {
  std::set<std::string> settled;  // accepted, or impossible to split
  bool changed = false;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::pair<InstId, std::string>> left;
    for (uint32_t i = 0; i < module.insts.size(); ++i) {
      const InstId id(i);
      if (module.inst(id).opcode != Opcode::kFusion) continue;
      std::string key = KernelKey(module, id);
      if (settled.contains(key)) continue;
      std::string why;
      const bool accepted = round == 0
                                ? !refused.contains(key)
                                : LowerKernel(module, id, why, max_kernel_values).has_value();
      if (accepted) {
        settled.insert(std::move(key));
      } else {
        left.emplace_back(id, std::move(key));
      }
    }
    if (left.empty()) break;
    ModuleEditor edit(std::move(module));
    for (auto& [id, key] : left) {
      log.Note("%", edit.module().name_of(edit.inst(id)), " is split: it is refused as one kernel");
      if (!FusionSplitter(edit, id).Split()) settled.insert(std::move(key));
    }
    changed = changed || edit.changed();
    module = edit.Finish();
  }
  return changed;
}

}  // namespace halo
