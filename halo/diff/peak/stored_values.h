// Which value of a program each buffer of its assignment holds, as a number that is the same in
// both programs if the values are matched. Buffers whose value is unknown, such as tables of
// tuples, are known by their shape alone.
#ifndef HALO_DIFF_PEAK_STORED_VALUES_H_
#define HALO_DIFF_PEAK_STORED_VALUES_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/diff/graph/shape_leaves.h"
#include "halo/diff/match/matched_programs.h"
#include "halo/memory/bind/bound_assignment.h"

namespace halo {

enum class ProgramSide : uint8_t { kBefore, kAfter };

// One array of an instruction's result as a value of the graph.
struct ResolvedValue {
  uint32_t node = kUnmatched;
  uint32_t out = 0;
  bool is_copy = false;  // of a value that another instruction stores
};

// Follows tuples, calls, fusions, copies and bitcasts to the instruction that computes a value.
class ValueResolver {
 public:
  ValueResolver(const Module& module, const ValueGraph& graph);
  [[nodiscard]] ResolvedValue Resolve(InstId inst, uint32_t leaf);
  // The same for a node of the instruction's shape in pre-order; unknown for a tuple's table.
  [[nodiscard]] ResolvedValue ResolveNode(InstId inst, uint32_t node);

 private:
  // One array of an instruction's result; no instruction: none.
  struct Source {
    InstId inst;
    uint32_t leaf = 0;
  };
  [[nodiscard]] uint32_t NodeOf(InstId inst) const;
  [[nodiscard]] bool Step(InstId& at, uint32_t& leaf);
  // Where the way from a position ends: at an instruction that has a node.
  [[nodiscard]] Source EndOf(Source from);

  const Module& module_;
  const ValueGraph& graph_;
  CallGraph calls_;
  ShapeLeaves shapes_;
  std::vector<uint32_t> first_;                // node of each instruction, kUnmatched if none
  std::vector<uint32_t> states_;               // first state node of a loop
  std::unordered_map<uint64_t, Source> ends_;  // of the ways that were followed so far
  std::vector<CompId> called_;
};

using StoredKey = uint64_t;

class StoredValues {
 public:
  // `bound` must have a module, which is the program's of that side.
  StoredValues(const MatchedPrograms& programs, ProgramSide side, const BoundAssignment& bound);

  [[nodiscard]] const BoundAssignment& bound() const { return bound_; }
  [[nodiscard]] StoredKey key(ValueId value) const { return keys_[value.index()]; }
  [[nodiscard]] bool is_copy(ValueId value) const { return copies_[value.index()]; }
  // Values of the assignment with this key.
  [[nodiscard]] std::span<const ValueId> with(StoredKey key) const;
  [[nodiscard]] StoredKey KeyOf(const ResolvedValue& value) const;
  [[nodiscard]] ValueResolver& resolver() { return resolver_; }
  // True for keys of values that the graph has, false for buffers known by shape alone.
  [[nodiscard]] static bool is_value(StoredKey key) { return key >> 63 == 0; }
  // True if both programs have the value.
  [[nodiscard]] bool is_matched(StoredKey key) const;

 private:
  const MatchedPrograms& programs_;
  ProgramSide side_;
  const BoundAssignment& bound_;
  ValueResolver resolver_;
  std::vector<StoredKey> keys_;
  std::vector<bool> copies_;
  std::unordered_map<StoredKey, std::vector<ValueId>> by_key_;
};

}  // namespace halo

#endif  // HALO_DIFF_PEAK_STORED_VALUES_H_
