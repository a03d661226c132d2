// Values and where they flow, as XLA sees them. A value is defined once, by an instruction at a
// position of its result, and appears at every position it reaches through tuples, bitcasts, calls,
// loops and branches. Where several values merge, a phi is defined. The numbering is XLA's, so that
// values can be compared with those of a dump.
#ifndef HALO_ANALYSIS_DATAFLOW_DATAFLOW_H_
#define HALO_ANALYSIS_DATAFLOW_DATAFLOW_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/analysis/dataflow/async_chains.h"
#include "halo/analysis/dataflow/shape_trees.h"
#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/users.h"
#include "halo/ir/module.h"

namespace halo {

using FlowId = Id<struct FlowTag>;

// A position in an instruction's result; see ShapeTrees for nodes.
struct Position {
  InstId inst;
  uint32_t node = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

struct FlowValue {
  Position defined;
  bool is_phi = false;
  bool exists = true;  // false: a phi that was replaced by another value
};

class Dataflow {
 public:
  // `numbered` are computations in the order in which XLA numbered their values, where that is
  // known to differ from the order of the dump.
  explicit Dataflow(const Module& module, std::span<const CompId> numbered = {});

  // Why the module has no dataflow; empty if it has one.
  [[nodiscard]] std::string_view problem() const { return problem_; }

  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] const ShapeTrees& trees() const { return trees_; }
  [[nodiscard]] const CallGraph& calls() const { return calls_; }
  [[nodiscard]] const Users& users() const { return users_; }
  // Computations as the dump lists them, and all instructions in the order in which values are
  // numbered.
  [[nodiscard]] const std::vector<CompId>& computations() const { return computations_; }
  [[nodiscard]] const std::vector<InstId>& post_order() const { return post_order_; }

  [[nodiscard]] size_t size() const { return values_.size(); }
  [[nodiscard]] const FlowValue& value(FlowId id) const { return values_[id.index()]; }
  // The value at a position; invalid where nothing was ever computed.
  [[nodiscard]] FlowId at(InstId inst, uint32_t node = 0) const {
    return FlowId(at_[begins_[inst.index()] + node]);
  }
  [[nodiscard]] FlowId at(Position position) const { return at(position.inst, position.node); }
  // Every position where a value appears, the defining one first.
  [[nodiscard]] std::span<const Position> positions(FlowId id) const {
    return {positions_.data() + position_begins_[id.index()],
            positions_.data() + position_begins_[id.index() + 1]};
  }
  [[nodiscard]] ShapeId shape_of(FlowId id) const {
    const Position& position = values_[id.index()].defined;
    return trees_.shape_at(module_.inst(position.inst).shape, position.node);
  }
  // The computation that an async op's chain runs; invalid if the text folds it into the op.
  [[nodiscard]] CompId async_computation(InstId async) const { return asyncs_.computation(async); }
  [[nodiscard]] bool is_root(InstId inst) const {
    return module_.comp(module_.inst(inst).parent).root == inst;
  }

  [[nodiscard]] bool is_operand(InstId user, InstId operand) const {
    bool found = false;
    ForEachOperand(user, operand, [&](int64_t) { found = true; });
    return found;
  }

  // Calls visit(user, operand number, node of the operand) for each use of a value. Instructions
  // that only forward a value do not use it, except that the root of a computation uses every value
  // it holds.
  template <class Visit>
  void ForEachUse(FlowId id, const Visit& visit) const {
    InstId asked;  // the last root that was searched for the value
    bool holds = false;
    for (const Position& position : positions(id)) {
      for (const InstId user :
           position.node == 0 ? users_.of(position.inst) : deep_users(position.inst)) {
        if (!Looks(position, user)) {
          if (!is_root(user)) continue;
          if (user != asked) holds = Holds(user, id);
          asked = user;
          if (!holds) continue;
        }
        ForEachOperand(user, position.inst, [&](int64_t i) { visit(user, i, position.node); });
      }
    }
  }

 private:
  class Builder;

  static constexpr uint32_t kWide = 64;  // operands; above this, the operand index is used

  // Calls visit(number) for each operand of `user` that is `operand`.
  template <class Visit>
  void ForEachOperand(InstId user, InstId operand, const Visit& visit) const {
    const std::span<const InstId> operands = module_.operands_of(module_.inst(user));
    if (operands.size() <= kWide) {
      for (size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] == operand) visit(static_cast<int64_t>(i));
      }
      return;
    }
    const std::vector<std::pair<InstId, uint32_t>>& index = wide_.find(user.value)->second;
    auto at = std::lower_bound(index.begin(), index.end(), std::pair(operand, uint32_t{0}));
    for (; at != index.end() && at->first == operand; ++at) visit(int64_t{at->second});
  }

  // Whether the user reads the value at the position, and does not only pass it on.
  [[nodiscard]] bool Looks(const Position& position, InstId user) const;
  // Whether the value appears in the result of an instruction.
  [[nodiscard]] bool Holds(InstId inst, FlowId id) const;
  // Users that may read below the top of a tuple.
  [[nodiscard]] std::span<const InstId> deep_users(InstId inst) const {
    return {deep_users_.data() + deep_begins_[inst.index()],
            deep_users_.data() + deep_begins_[inst.index() + 1]};
  }
  void GatherPositions();
  void GatherDeepUsers();
  void IndexWide();

  const Module& module_;
  ShapeTrees trees_;
  CallGraph calls_;
  Users users_;
  AsyncChains asyncs_;
  std::vector<CompId> computations_;
  std::vector<InstId> post_order_;
  std::vector<uint32_t> begins_;  // start of each instruction's positions in at_
  std::vector<uint32_t> at_;
  std::vector<FlowValue> values_;
  std::vector<size_t> position_begins_;
  std::vector<Position> positions_;
  std::vector<uint32_t> deep_begins_;
  std::vector<InstId> deep_users_;
  std::unordered_map<uint32_t, std::vector<std::pair<InstId, uint32_t>>> wide_;
  std::string_view problem_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DATAFLOW_DATAFLOW_H_
