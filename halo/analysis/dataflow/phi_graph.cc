// Nodes are simplified in the order in which they were first named, repeatedly until nothing
// changes. That order decides which of two equal values survives, and dumps show the survivor.
#include "halo/analysis/dataflow/phi_graph.h"

#include <algorithm>
#include <set>

namespace halo {

uint32_t PhiGraph::NodeOf(uint32_t value) {
  const auto [entry, is_new] = node_of_.try_emplace(value, static_cast<uint32_t>(nodes_.size()));
  if (is_new) {
    Node node;
    node.value = value;
    node.represents.push_back(value);
    nodes_.push_back(std::move(node));
  }
  return entry->second;
}

void PhiGraph::Set(uint32_t phi, std::span<const uint32_t> inputs) {
  const uint32_t node = NodeOf(phi);
  std::vector<uint32_t> input_nodes;
  input_nodes.reserve(inputs.size());
  for (const uint32_t input : inputs) input_nodes.push_back(NodeOf(input));
  nodes_[node].is_phi = true;
  nodes_[node].inputs = std::move(input_nodes);
}

bool PhiGraph::SameInputs(uint32_t phi, std::span<const uint32_t> inputs) const {
  const auto entry = node_of_.find(phi);
  if (entry == node_of_.end()) return false;
  std::set<uint32_t> known;
  for (const uint32_t input : nodes_[entry->second].inputs) known.insert(nodes_[input].value);
  return known == std::set<uint32_t>(inputs.begin(), inputs.end());
}

void PhiGraph::Replace(uint32_t node, uint32_t by) {
  if (nodes_[node].replaced) return;
  while (nodes_[by].replaced) by = node_of_.at(nodes_[by].value);
  if (by == node) return;
  for (const uint32_t user : nodes_[node].users) {
    std::replace(nodes_[user].inputs.begin(), nodes_[user].inputs.end(), node, by);
  }
  for (const uint32_t input : nodes_[node].inputs) {
    std::replace(nodes_[input].users.begin(), nodes_[input].users.end(), node, by);
  }
  for (const uint32_t value : nodes_[node].represents) {
    node_of_[value] = by;
    nodes_[by].represents.push_back(value);
  }
  nodes_[node].represents.clear();
  nodes_[node].replaced = true;
}

bool PhiGraph::CollapseRing(uint32_t from, std::vector<bool>& looked_at) {
  std::vector<uint32_t> ring = {from};
  seen_.resize(nodes_.size(), 0);
  seen_[from] = ++rings_;
  constexpr uint32_t kNone = UINT32_MAX;
  uint32_t outside = kNone;
  for (size_t i = 0; i < ring.size(); ++i) {
    const uint32_t node = ring[i];
    looked_at[node] = true;
    if (!nodes_[node].is_phi) {
      if (outside != kNone && outside != node) return false;
      outside = node;
    }
    const size_t steps = 1 + nodes_[node].inputs.size();
    if (steps > steps_left_) return false;
    steps_left_ -= steps;
    for (const uint32_t input : nodes_[node].inputs) {
      if (seen_[input] != rings_) ring.push_back(input);
      seen_[input] = rings_;
    }
  }
  if (outside == kNone) return false;
  bool changed = false;
  for (const uint32_t node : ring) {
    if (!nodes_[node].is_phi || nodes_[node].replaced) continue;
    Replace(node, outside);
    changed = true;
  }
  return changed;
}

void PhiGraph::Simplify() {
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    for (const uint32_t input : nodes_[i].inputs) nodes_[input].users.push_back(i);
  }
  // Real programs need a handful of rounds and steps; the limits keep contrived ones, such as loops
  // in loops that are called twice, from taking n rounds or n steps for each phi.
  constexpr size_t kAlwaysAllowed = size_t{1} << 24;
  steps_left_ = 64 * nodes_.size() + kAlwaysAllowed;
  bool changed = true;
  for (int round = 0; changed && round < 1000; ++round) {
    changed = false;
    std::vector<bool> looked_at(nodes_.size(), false);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i].is_phi || nodes_[i].replaced) continue;
      std::erase(nodes_[i].inputs, i);
      std::erase(nodes_[i].users, i);
      const std::vector<uint32_t>& inputs = nodes_[i].inputs;
      if (inputs.empty()) continue;
      if (std::all_of(inputs.begin(), inputs.end(), [&](uint32_t n) { return n == inputs[0]; })) {
        Replace(i, inputs[0]);
        changed = true;
      } else if (!looked_at[i]) {
        changed |= CollapseRing(i, looked_at);
      }
    }
  }
}

uint32_t PhiGraph::Meaning(uint32_t phi) const {
  const auto entry = node_of_.find(phi);
  return entry == node_of_.end() ? phi : nodes_[entry->second].value;
}

}  // namespace halo
