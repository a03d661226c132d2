// The state of a loop depends on what the loop's body makes of it. States are therefore told apart
// in rounds: first by what they start as, then by what the round before makes of their updates,
// until a round tells no more of them apart.
#include "halo/diff/graph/class_graph.h"

#include <algorithm>

#include "halo/base/hash.h"
#include "halo/diff/graph/value_label.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// Beyond this, states are told apart by their position in the loop's tuple.
constexpr int kMostRounds = 12;

uint64_t EdgeHash(uint64_t value, const ValueEdge& edge) {
  return HashMix(value ^ (static_cast<uint64_t>(edge.out) << 32 | edge.view), kDigestKeys.k0);
}

size_t CountDistinct(const std::vector<uint64_t>& hashes, const std::vector<uint32_t>& nodes) {
  std::vector<uint64_t> found;
  found.reserve(nodes.size());
  for (const uint32_t node : nodes) found.push_back(hashes[node]);
  std::sort(found.begin(), found.end());
  return static_cast<size_t>(std::unique(found.begin(), found.end()) - found.begin());
}

}  // namespace

ClassGraph::ClassGraph(const Module& module, const ValueGraph& graph) : graph_(graph) {
  HashCones();
  Group();
  Connect();
  hashes_ = {};
  opcodes_.reserve(size());
  for (uint32_t c = 0; c < size(); ++c) {
    opcodes_.push_back(SynchronousOf(module.inst(node(c).inst).opcode));
  }
}

void ClassGraph::HashRange(uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; ++i) {
    const ValueNode& node = graph_.nodes[i];
    uint64_t sum = 0;
    for (const ValueEdge& edge : graph_.edges_of(node)) {
      const uint64_t value = EdgeHash(hashes_[edge.node], edge);
      sum = node.commutes ? sum + HashMix(value, kDigestKeys.k1)
                          : HashMix(sum ^ value, kDigestKeys.k1) + value;
    }
    if (node.update != UINT32_MAX) {
      // What the last round knew.
      const ValueEdge& update = graph_.edges[node.update];
      sum = HashMix(sum ^ EdgeHash(hashes_[update.node], update), kDigestKeys.k0);
      if (by_position_) sum += i - first_state_;
    }
    hashes_[i] = HashWords({node.label, sum});
  }
}

void ClassGraph::HashCones() {
  const auto count = static_cast<uint32_t>(graph_.nodes.size());
  hashes_.assign(count, 0);
  HashRange(0, count);
  if (graph_.loops.empty()) return;
  first_state_ = *std::min_element(graph_.loops.begin(), graph_.loops.end());
  size_t distinct = CountDistinct(hashes_, graph_.loops);
  for (int round = 0; round < kMostRounds; ++round) {
    HashRange(first_state_, count);
    const size_t now = CountDistinct(hashes_, graph_.loops);
    if (now == distinct && round > 0) return;
    distinct = now;
  }
  by_position_ = true;
  HashRange(first_state_, count);
}

void ClassGraph::Group() {
  const auto count = static_cast<uint32_t>(graph_.nodes.size());
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
    for (const ValueEdge& edge : graph_.edges_of(node(c))) {
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
  for (const ValueEdge& edge : graph_.outputs) {
    outputs_.push_back({class_of_[edge.node], edge.out, edge.view});
  }
}

}  // namespace halo
