// Builds a Dataflow: assigns values to each instruction, then propagates them to a fixed point. The
// processing order is XLA's, because it determines the numbers of phis.
#ifndef HALO_ANALYSIS_DATAFLOW_DATAFLOW_BUILDER_H_
#define HALO_ANALYSIS_DATAFLOW_DATAFLOW_BUILDER_H_

#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/dataflow/work_set.h"

namespace halo {

class Dataflow::Builder {
 public:
  explicit Builder(Dataflow& flow) : flow_(flow), module_(flow.module_), trees_(flow.trees_) {}
  void Build();

 private:
  static constexpr uint32_t kNone = Id<struct FlowTag>::kNoneValue;

  // A range of positions: the result of an instruction, or one element of it.
  struct PositionRange {
    uint32_t begin = 0;
    uint32_t count = 0;
  };

  void Define(InstId id, bool is_dead_or_embedded);
  void DefineAt(InstId id, uint32_t node, bool is_phi = false);
  void OrderWork();
  void Propagate();
  void AddWorkBehind(InstId inst);
  void AddWork(InstId inst);
  void SimplifyPhis();

  bool Update(InstId id);
  bool UpdateParameter(InstId id);
  bool UpdateAsync(InstId id);
  bool UpdateTuple(InstId id);
  bool UpdateElements(InstId id);  // ops that forward one element of their operand
  bool Phi(InstId id, const std::vector<PositionRange>& inputs);
  bool Copy(PositionRange to, PositionRange from, bool leaves_only = false, ShapeId shape = {});

  [[nodiscard]] InstId Operand(const Inst& inst, size_t i) const {
    return i < inst.operand_count ? module_.operands_of(inst)[i] : InstId();
  }
  [[nodiscard]] PositionRange Whole(InstId id) const {
    if (!id.valid()) return {};
    return {flow_.begins_[id.index()], flow_.begins_[id.index() + 1] - flow_.begins_[id.index()]};
  }
  // The element at `index`; empty if there is none.
  [[nodiscard]] PositionRange Part(InstId id, std::initializer_list<int64_t> index) const;
  [[nodiscard]] InstId RootOf(CompId comp) const {
    return comp.valid() ? module_.comp(comp).root : InstId();
  }
  [[nodiscard]] CompId CalledAs(const Inst& inst, AttrKey key) const;
  void BranchesOf(const Inst& conditional, std::vector<CompId>& branches) const;
  [[nodiscard]] std::vector<InstId> BoundOperands(InstId start, InstId until) const;

  Dataflow& flow_;
  const Module& module_;
  const ShapeTrees& trees_;
  PhiGraph phis_;
  WorkSet work_;
  std::vector<uint32_t> priority_;  // by instruction
  std::vector<InstId> by_priority_;
  std::vector<std::vector<InstId>> parameters_;  // by computation, for those that run in sequence
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DATAFLOW_DATAFLOW_BUILDER_H_
