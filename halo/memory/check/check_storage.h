// Which positions of a module (an instruction and a shape index) are one piece of memory. Every
// position is a node; the rules of check_flow.cc join those that forward a value, alias by
// definition or are aliased by the module's header. For each node it also records whether its
// instruction writes there itself. Times and offsets are not known here.
#ifndef HALO_MEMORY_CHECK_CHECK_STORAGE_H_
#define HALO_MEMORY_CHECK_CHECK_STORAGE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/check/check_assignment.h"

namespace halo::check {

// How a computation's values get memory.
enum class CompRole : uint8_t {
  kUnreached,
  kSequential,  // planned ahead
  kEmbedded,    // applied element by element, or in parallel: thread-local
  kFused,       // has none
};

class Storage {
 public:
  static constexpr uint32_t kNoNode = 0xFFFFFFFFu;

  explicit Storage(const Module& module);

  // False if the module has more positions than can be processed.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] const Module& module() const { return *module_; }
  [[nodiscard]] uint32_t node_count() const { return static_cast<uint32_t>(shapes_.size()); }
  [[nodiscard]] CompRole role(CompId comp) const { return roles_[comp.index()]; }
  [[nodiscard]] CompRole role(const Inst& inst) const { return role(inst.parent); }

  // The node of an instruction's shape index, or kNoNode if it has no such index.
  [[nodiscard]] uint32_t Node(InstId inst, std::span<const int64_t> index) const;
  [[nodiscard]] uint32_t first(InstId inst) const { return firsts_[inst.index()]; }
  [[nodiscard]] uint32_t count(InstId inst) const;
  // The node of element `step` of the tuple at `node`.
  [[nodiscard]] uint32_t Child(uint32_t node, int64_t step) const;
  [[nodiscard]] uint32_t CountAt(uint32_t node) const { return counts_[shapes_[node].index()]; }
  [[nodiscard]] ShapeId shape(uint32_t node) const { return shapes_[node]; }
  [[nodiscard]] bool writes(uint32_t node) const { return writes_[node]; }
  // The id of a node's class: equal for nodes that are one piece of memory.
  [[nodiscard]] uint32_t Class(uint32_t node) const;

  // Whether two positions hold trees that may be joined.
  [[nodiscard]] bool IsAlike(uint32_t a, uint32_t b) const;
  // Joins whole subtrees of equal structure; with `forwarded`, `to` itself defines nothing.
  void JoinTrees(uint32_t from, uint32_t to, bool forwarded);
  // Joins arrays and tokens only: `to` keeps its own tuple tables.
  void JoinLeaves(uint32_t from, uint32_t to);
  void Join(uint32_t from, uint32_t to);

 private:
  bool CountShapes();
  void FindRoles();
  bool NumberNodes();

  const Module* module_;
  bool usable_ = false;
  std::vector<CompRole> roles_;
  std::vector<uint32_t> counts_;        // by shape: its subshapes, itself included
  std::vector<uint32_t> child_begins_;  // by shape: where its children's offsets start
  std::vector<uint32_t> child_offsets_;
  std::vector<uint32_t> firsts_;  // by instruction
  std::vector<ShapeId> shapes_;   // by node
  std::vector<bool> writes_;
  mutable std::vector<uint32_t> parents_;
};

// The computations that an instruction calls, as far as the module has them.
std::vector<CompId> CalledComps(const Module& module, const Inst& inst);

// The computation that a chain of async instructions runs, named by its start; invalid if unknown.
CompId AsyncBody(const Module& module, const Inst& inst);

// Applies every rule by which positions are one piece of memory. Defined in check_flow.cc.
void JoinFlows(Storage& storage, CheckRules rules);

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_STORAGE_H_
