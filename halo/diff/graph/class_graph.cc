// Groups nodes by their digests with one table, then connects the groups as their first members are
// connected.
#include "halo/diff/graph/class_graph.h"

#include "halo/base/hash.h"
#include "halo/diff/graph/cone_hash.h"
#include "halo/ir/op_properties.h"

namespace halo {

ClassGraph::ClassGraph(const Module& module, const ValueGraph& graph) : graph_(&graph) {
  hashes_ = HashCones(graph);
  Group();
  Connect();
  hashes_ = {};
  opcodes_.reserve(size());
  for (uint32_t c = 0; c < size(); ++c) {
    opcodes_.push_back(SynchronousOf(module.inst(node(c).inst).opcode));
  }
}

void ClassGraph::Group() {
  const auto count = static_cast<uint32_t>(graph_->nodes.size());
  class_of_.assign(count, 0);
  size_t capacity = 16;
  while (capacity < count * size_t{2}) capacity *= 2;
  std::vector<uint32_t> table(capacity, UINT32_MAX);
  std::vector<uint32_t> sizes;
  for (uint32_t i = 0; i < count; ++i) {
    size_t at = TableHash(&hashes_[i], sizeof(uint64_t)) & (capacity - 1);
    while (table[at] != UINT32_MAX && cones_[table[at]] != hashes_[i])
      at = (at + 1) & (capacity - 1);
    if (table[at] == UINT32_MAX) {
      table[at] = static_cast<uint32_t>(cones_.size());
      cones_.push_back(hashes_[i]);
      sizes.push_back(0);
    }
    class_of_[i] = table[at];
    ++sizes[table[at]];
  }
  begins_.assign(cones_.size() + 1, 0);
  for (size_t c = 0; c < sizes.size(); ++c) begins_[c + 1] = begins_[c] + sizes[c];
  members_.resize(count);
  std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (uint32_t i = 0; i < count; ++i) members_[next[class_of_[i]]++] = i;
}

void ClassGraph::Connect() {
  edge_begins_.assign(cones_.size() + 1, 0);
  user_begins_.assign(cones_.size() + 1, 0);
  for (uint32_t c = 0; c < size(); ++c) {
    for (const ValueEdge& edge : graph_->edges_of(node(c))) {
      edges_.push_back({class_of_[edge.node], edge.out, edge.view});
      ++user_begins_[class_of_[edge.node] + 1];
    }
    edge_begins_[c + 1] = static_cast<uint32_t>(edges_.size());
  }
  for (size_t c = 0; c < cones_.size(); ++c) user_begins_[c + 1] += user_begins_[c];
  users_.resize(edges_.size());
  std::vector<uint32_t> next(user_begins_.begin(), user_begins_.end() - 1);
  for (uint32_t c = 0; c < size(); ++c) {
    const bool any_order = commutes(c);
    uint32_t slot = 0;
    for (const ClassEdge& edge : edges(c)) {
      users_[next[edge.from]++] = {c, any_order ? 0 : slot};
      ++slot;
    }
  }
  for (const ValueEdge& edge : graph_->outputs) {
    outputs_.push_back({class_of_[edge.node], edge.out, edge.view});
  }
}

}  // namespace halo
