// Nodes are simplified in the order in which they were first named, repeatedly until nothing
// changes. That order decides which of two equal values survives, and dumps show the survivor.
#include "halo/analysis/dataflow/phi_graph.h"

#include <algorithm>
#include <set>
#include <utility>

namespace halo {
namespace {

// More inputs or users than these are not searched one by one: a computation that is called n times
// has n inputs, and each of n results may be replaced among them.
constexpr size_t kMany = 32;

uint64_t SlotKey(uint32_t phi, uint32_t node) { return uint64_t{phi} << 32 | node; }

}  // namespace

void PhiUsers::Add(uint32_t node) {
  if (many_ == nullptr && few_.size() < kMany) {
    few_.push_back(node);
    return;
  }
  if (many_ == nullptr) {
    many_ = std::make_unique<std::unordered_set<uint32_t>>(few_.begin(), few_.end());
    few_.clear();
  }
  many_->insert(node);
}

void PhiUsers::Erase(uint32_t node) {
  std::erase(few_, node);
  if (many_ != nullptr) many_->erase(node);
}

void PhiUsers::Replace(uint32_t node, uint32_t by) {
  std::replace(few_.begin(), few_.end(), node, by);
  if (many_ != nullptr && many_->erase(node) != 0) many_->insert(by);
}

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

void PhiGraph::ReplaceInput(uint32_t phi, uint32_t node, uint32_t by) {
  std::vector<uint32_t>& inputs = nodes_[phi].inputs;
  if (inputs.size() <= kMany && !nodes_[phi].has_slots) {
    std::replace(inputs.begin(), inputs.end(), node, by);
    return;
  }
  if (!nodes_[phi].has_slots) {
    for (uint32_t i = 0; i < inputs.size(); ++i) slots_[SlotKey(phi, inputs[i])].push_back(i);
    nodes_[phi].has_slots = true;
  }
  const auto found = slots_.find(SlotKey(phi, node));
  if (found == slots_.end()) return;
  std::vector<uint32_t> moved = std::move(found->second);
  slots_.erase(found);
  for (const uint32_t slot : moved) inputs[slot] = by;
  std::vector<uint32_t>& among = slots_[SlotKey(phi, by)];
  if (among.size() < moved.size()) std::swap(among, moved);
  among.insert(among.end(), moved.begin(), moved.end());
}

void PhiGraph::EraseInput(uint32_t phi, uint32_t node) {
  std::vector<uint32_t>& inputs = nodes_[phi].inputs;
  if (std::find(inputs.begin(), inputs.end(), node) == inputs.end()) return;
  if (nodes_[phi].has_slots) {
    for (const uint32_t input : inputs) slots_.erase(SlotKey(phi, input));
    nodes_[phi].has_slots = false;
  }
  std::erase(inputs, node);
}

void PhiGraph::Replace(uint32_t node, uint32_t by) {
  if (nodes_[node].replaced) return;
  while (nodes_[by].replaced) by = node_of_.at(nodes_[by].value);
  if (by == node) return;
  nodes_[node].users.ForEach([&](uint32_t user) { ReplaceInput(user, node, by); });
  for (const uint32_t input : nodes_[node].inputs) nodes_[input].users.Replace(node, by);
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
    for (const uint32_t input : nodes_[i].inputs) nodes_[input].users.Add(i);
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
      EraseInput(i, i);
      nodes_[i].users.Erase(i);
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
