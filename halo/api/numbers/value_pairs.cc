// The nodes of one instruction are in the order in which its computation is called.
#include "halo/api/numbers/value_pairs.h"

#include <optional>

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
  std::vector<ValuePair> pairs;
  for (uint32_t b = 0; b < programs.classes_b.size(); ++b) {
    const uint32_t a = programs.match.to_a[b];
    if (!wanted[b] || a == kUnmatched) continue;
    if (programs.match.reasons[a] == MatchReason::kSameValue) continue;
    if (!IsComputed(programs.classes_a.node(a)) || !IsComputed(programs.classes_b.node(b))) {
      continue;
    }
    ValuePair pair;
    pair.a = a;
    pair.b = b;
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
