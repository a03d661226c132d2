// The graph of distinct values: all nodes that compute the same value are one class, however often
// a compiler repeats them. Two classes of one program never hold the same value as far as their
// operands show; matching pairs classes, and copies of a value are compared by number.
#ifndef HALO_DIFF_GRAPH_CLASS_GRAPH_H_
#define HALO_DIFF_GRAPH_CLASS_GRAPH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/diff/graph/value_graph.h"

namespace halo {

struct ClassEdge {
  uint32_t from = 0;  // class
  uint32_t out = 0;
  uint32_t view = 0;
  friend bool operator==(const ClassEdge&, const ClassEdge&) = default;
};

struct ClassUse {
  uint32_t user = 0;  // class
  uint32_t slot = 0;  // 0 for all operands of a commutative op
};

class ClassGraph {
 public:
  ClassGraph() = default;
  // The graph must stay where it is.
  ClassGraph(const Module& module, const ValueGraph& graph);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(cones_.size()); }
  [[nodiscard]] uint64_t label(uint32_t c) const { return node(c).label; }
  // Digest of the value: its label and those of everything it is computed from.
  [[nodiscard]] uint64_t cone(uint32_t c) const { return cones_[c]; }
  [[nodiscard]] bool commutes(uint32_t c) const { return node(c).commutes; }
  [[nodiscard]] const ValueNode& node(uint32_t c) const {
    return graph_->nodes[members_[begins_[c]]];
  }
  [[nodiscard]] std::span<const uint32_t> members(uint32_t c) const {
    return {members_.data() + begins_[c], members_.data() + begins_[c + 1]};
  }
  [[nodiscard]] uint32_t class_of(uint32_t node) const { return class_of_[node]; }
  [[nodiscard]] std::span<const ClassEdge> edges(uint32_t c) const {
    return {edges_.data() + edge_begins_[c], edges_.data() + edge_begins_[c + 1]};
  }
  [[nodiscard]] std::span<const ClassUse> users(uint32_t c) const {
    return {users_.data() + user_begins_[c], users_.data() + user_begins_[c + 1]};
  }
  [[nodiscard]] const std::vector<ClassEdge>& outputs() const { return outputs_; }
  // By class; a start counts as the op it starts.
  [[nodiscard]] const std::vector<Opcode>& opcodes() const { return opcodes_; }
  [[nodiscard]] const ValueGraph& graph() const { return *graph_; }

 private:
  void Group();
  void Connect();

  const ValueGraph* graph_ = nullptr;
  std::vector<uint64_t> hashes_;  // of nodes
  std::vector<uint64_t> cones_;   // of classes
  std::vector<uint32_t> class_of_, members_, begins_;
  std::vector<ClassEdge> edges_, outputs_;
  std::vector<uint32_t> edge_begins_;
  std::vector<ClassUse> users_;
  std::vector<uint32_t> user_begins_;
  std::vector<Opcode> opcodes_;
};

}  // namespace halo

#endif  // HALO_DIFF_GRAPH_CLASS_GRAPH_H_
