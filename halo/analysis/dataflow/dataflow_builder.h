// Builds a Dataflow: assigns values to each instruction, then propagates them to a fixed point. The
// processing order is XLA's, because it determines the numbers of phis.
#ifndef HALO_ANALYSIS_DATAFLOW_DATAFLOW_BUILDER_H_
#define HALO_ANALYSIS_DATAFLOW_DATAFLOW_BUILDER_H_

#include <unordered_map>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/dataflow/merged_inputs.h"
#include "halo/analysis/dataflow/phi_graph.h"
#include "halo/analysis/dataflow/work_set.h"

namespace halo {

class Dataflow::Builder {
 public:
  explicit Builder(Dataflow& flow) : flow_(flow), module_(flow.module_), trees_(flow.trees_) {}
  void Build(std::span<const CompId> numbered);

 private:
  static constexpr uint32_t kNone = Id<struct FlowTag>::kNoneValue;
  static_assert(kNone == MergedInputs::kNoValue);
  // From this many callers on, a parameter keeps what it has seen of its sources.
  static constexpr size_t kManyCallers = 16;

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
  void AddParameter(CompId comp, size_t number, InstId changed);
  void AddBoundParameters(InstId link, InstId changed);
  [[nodiscard]] size_t StepsOf(InstId inst) const;
  void IndexBranches();
  void SimplifyPhis();

  bool Update(InstId id);
  bool UpdateParameter(InstId id);
  bool UpdateMerged(InstId id, MergedInputs& inputs);
  // The instructions whose results a parameter may hold, in the order of its callers. Returns
  // whether they merge even if there is only one.
  bool SourcesOf(InstId parameter, std::vector<InstId>& sources) const;
  bool UpdateAsync(InstId id);
  bool CopyBound(InstId to, InstId from, size_t count);  // the first elements of element 0
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
  // Of the conditional asked for last; another one replaces them.
  const std::vector<CompId>& BranchesOf(InstId conditional);
  [[nodiscard]] static uint64_t BranchKey(InstId conditional, CompId branch) {
    return uint64_t{conditional.value} << 32 | branch.value;
  }

  Dataflow& flow_;
  const Module& module_;
  const ShapeTrees& trees_;
  PhiGraph phis_;
  WorkSet work_;
  std::vector<uint32_t> priority_;  // by instruction
  std::vector<InstId> by_priority_;
  std::vector<std::vector<InstId>> parameters_;  // by computation, for those that run in sequence
  std::unordered_map<uint32_t, MergedInputs> merged_;       // by parameter with many callers
  std::unordered_map<uint64_t, uint32_t> branch_operands_;  // by BranchKey
  InstId branches_of_;
  std::vector<CompId> branches_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DATAFLOW_DATAFLOW_BUILDER_H_
