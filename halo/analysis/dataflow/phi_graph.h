// The values that merge in loops and branches, and which of them are equal. A phi whose inputs are
// all the same value, or a cycle of phis that only one other value enters, is that value.
#ifndef HALO_ANALYSIS_DATAFLOW_PHI_GRAPH_H_
#define HALO_ANALYSIS_DATAFLOW_PHI_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace halo {

// Nodes, some of them perhaps twice while they are few.
class PhiUsers {
 public:
  void Add(uint32_t node);
  void Erase(uint32_t node);
  void Replace(uint32_t node, uint32_t by);
  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (const uint32_t node : few_) visit(node);
    if (many_ == nullptr) return;
    for (const uint32_t node : *many_) visit(node);
  }

 private:
  std::vector<uint32_t> few_;
  std::unique_ptr<std::unordered_set<uint32_t>> many_;  // in their place
};

class PhiGraph {
 public:
  // Fixes the order of a value among those that are simplified; declaring it does so too.
  void Name(uint32_t value) { NodeOf(value); }
  // Declares that the value `phi` is one of `inputs`; replaces any earlier declaration.
  void Set(uint32_t phi, std::span<const uint32_t> inputs);
  // True if the inputs declared for `phi` are the same set.
  [[nodiscard]] bool SameInputs(uint32_t phi, std::span<const uint32_t> inputs) const;
  // Finds equal values. Call it once, after all phis are declared.
  void Simplify();
  // The value that `phi` resolves to: itself, or another value.
  [[nodiscard]] uint32_t Meaning(uint32_t phi) const;

 private:
  struct Node {
    uint32_t value = 0;
    bool is_phi = false;
    bool replaced = false;
    bool has_slots = false;
    std::vector<uint32_t> inputs;  // nodes
    PhiUsers users;
    std::vector<uint32_t> represents;  // values
  };

  uint32_t NodeOf(uint32_t value);
  void Replace(uint32_t node, uint32_t by);
  void ReplaceInput(uint32_t phi, uint32_t node, uint32_t by);
  void EraseInput(uint32_t phi, uint32_t node);
  bool CollapseRing(uint32_t from, std::vector<bool>& looked_at);

  std::vector<Node> nodes_;
  std::vector<uint32_t> seen_;  // by node: the last cycle that visited it
  uint32_t rings_ = 0;
  size_t steps_left_ = 0;  // through cycles
  // Of phis with many inputs: where a node is among them, by phi and node.
  std::unordered_map<uint64_t, std::vector<uint32_t>> slots_;
  std::unordered_map<uint32_t, uint32_t> node_of_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DATAFLOW_PHI_GRAPH_H_
