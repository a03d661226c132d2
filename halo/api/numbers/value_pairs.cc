// The nodes of one instruction are in the order in which its computation is called.
#include "halo/api/numbers/value_pairs.h"

#include <algorithm>
#include <optional>
#include <span>

namespace halo {
namespace {

class Executions {
 public:
  Executions(const Module& module, const ValueGraph& graph, const std::vector<int64_t>& counts)
      : graph_(graph), counts_(counts), nodes_(module.insts.size(), 0) {
    ordinals_.reserve(graph.nodes.size());
    for (const ValueNode& node : graph.nodes) ordinals_.push_back(nodes_[node.inst.index()]++);
  }

  [[nodiscard]] std::optional<ExecutedNode> Of(uint32_t node) const {
    const InstId inst = graph_.nodes[node].inst;
    const int64_t nodes = nodes_[inst.index()];
    if (nodes == 1) return ExecutedNode{inst, -1};
    if (counts_[inst.index()] != nodes) return std::nullopt;
    return ExecutedNode{inst, ordinals_[node]};
  }

 private:
  const ValueGraph& graph_;
  const std::vector<int64_t>& counts_;
  std::vector<int64_t> nodes_;     // by instruction
  std::vector<int64_t> ordinals_;  // by node, among those of its instruction
};

// The class of the first program that each of the second corresponds to.
class Partners {
 public:
  explicit Partners(const MatchedPrograms& programs)
      : programs_(programs), of_b_(programs.match.to_a) {
    for (uint32_t b = 0; b < of_b_.size(); ++b) {
      if (of_b_[b] != kUnmatched) open_.push_back(b);
    }
    PairOutputs();
    while (!open_.empty()) {
      const uint32_t b = open_.back();
      open_.pop_back();
      const uint32_t a = of_b_[b];
      // Operands of equal values are equal.
      if (programs_.match.to_a[b] == a && programs_.match.reasons[a] == MatchReason::kSameValue) {
        continue;
      }
      PairOperands(a, b);
    }
  }
  [[nodiscard]] uint32_t Of(uint32_t b) const { return of_b_[b]; }

 private:
  // A value that only a result reads has no reader to be found by.
  void PairOutputs() {
    const std::vector<ClassEdge>& before = programs_.classes_a.outputs();
    const std::vector<ClassEdge>& after = programs_.classes_b.outputs();
    for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      const auto [b, out, view] = after[i];
      if (of_b_[b] != kUnmatched || before[i].out != out || before[i].view != view) continue;
      of_b_[b] = before[i].from;
      open_.push_back(b);
    }
  }

  void PairOperands(uint32_t a, uint32_t b) {
    const std::span<const ClassEdge> before = programs_.classes_a.edges(a);
    const std::span<const ClassEdge> after = programs_.classes_b.edges(b);
    if (before.size() != after.size()) return;
    const bool swaps =
        programs_.classes_b.commutes(b) && after.size() == 2 &&
        (of_b_[after[0].from] == before[1].from || of_b_[after[1].from] == before[0].from);
    for (size_t i = 0; i < after.size(); ++i) {
      const uint32_t operand = after[i].from;
      if (of_b_[operand] != kUnmatched) continue;
      of_b_[operand] = before[swaps ? 1 - i : i].from;
      open_.push_back(operand);
    }
  }

  const MatchedPrograms& programs_;
  std::vector<uint32_t> of_b_;
  std::vector<uint32_t> open_;
};

bool IsComputed(const ValueNode& node) {
  return node.kind == ValueKind::kOp || node.kind == ValueKind::kParameter ||
         node.kind == ValueKind::kConstant;
}

}  // namespace

std::vector<ValuePair> FindValuePairs(const MatchedPrograms& programs,
                                      const std::vector<bool>& wanted,
                                      const std::vector<int64_t>& executions_a,
                                      const std::vector<int64_t>& executions_b) {
  const Executions in_a(programs.a, programs.graph_a, executions_a);
  const Executions in_b(programs.b, programs.graph_b, executions_b);
  const Partners partners(programs);
  std::vector<ValuePair> pairs;
  for (uint32_t b = 0; b < programs.classes_b.size(); ++b) {
    const uint32_t a = partners.Of(b);
    if (!wanted[b] || a == kUnmatched) continue;
    const bool is_matched = programs.match.to_a[b] == a;
    const MatchReason reason = is_matched ? programs.match.reasons[a] : MatchReason::kChanged;
    if (is_matched && reason == MatchReason::kSameValue) continue;
    if (!IsComputed(programs.classes_a.node(a)) || !IsComputed(programs.classes_b.node(b))) {
      continue;
    }
    ValuePair pair;
    pair.a = a;
    pair.b = b;
    pair.confidence = ConfidenceOf(reason);
    for (const uint32_t member : programs.classes_a.members(a)) {
      const std::optional<ExecutedNode> node = in_a.Of(member);
      if (!node) continue;
      pair.before = *node;
      break;
    }
    for (const uint32_t member : programs.classes_b.members(b)) {
      if (const std::optional<ExecutedNode> node = in_b.Of(member)) pair.after.push_back(*node);
    }
    if (pair.before.inst.valid() && !pair.after.empty()) pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace halo
