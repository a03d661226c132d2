// The points at which a program forces two values into the same memory: an operand written in
// place, a value that enters a loop or is carried around it, a value that a branch returns, a
// result for which a parameter was donated. A copy at such a point would separate them.
// SpreadTuples must have run on the tuples concerned.
#ifndef HALO_PASSES_MEMORY_ALIAS_POINTS_H_
#define HALO_PASSES_MEMORY_ALIAS_POINTS_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/liveness/buffers.h"
#include "halo/analysis/sharing/in_place.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/passes/memory/same_values.h"

namespace halo {

// Where an instruction reads an array: a node of an operand. Without a user, it is a node of the
// result of `comp`.
struct ReadSlot {
  InstId user;
  uint32_t operand = 0;
  uint32_t node = 0;
  CompId comp;
  friend auto operator<=>(const ReadSlot&, const ReadSlot&) = default;
};

// The instruction that holds the array of a slot, and its node there.
Position PositionOf(const Module& module, const ReadSlot& slot);

struct AliasPoint {
  FlowId from, to;
  ReadSlot slot;       // where a copy of `from` would be read instead
  uint32_t depth = 0;  // number of enclosing loops
  bool fixed = false;  // no copy can be inserted here
};

// Aliases from the module's own input_output_alias.
std::vector<AliasEntry> ModuleAliases(const Module& module);
// The number of loops that enclose each computation.
std::vector<uint32_t> LoopDepths(const Module& module, const CallGraph& calls);

class AliasPoints {
 public:
  AliasPoints(const Dataflow& flow, const SameValues& same, const InPlacePairs& in_place,
              std::span<const AliasEntry> aliases);

  [[nodiscard]] const std::vector<AliasPoint>& all() const { return points_; }
  [[nodiscard]] bool is_cut(size_t point) const { return cut_[point]; }
  void Cut(size_t point) { cut_[point] = true; }
  // Cuts the point where a slot makes values share memory, if there is one.
  void CutAt(const ReadSlot& slot);
  // Returns true if uncut points connect the two values.
  [[nodiscard]] bool Connected(FlowId from, FlowId to) { return !Way(from, to).empty(); }
  // Cuts points until the two values are no longer connected: those in the fewest loops first, then
  // those closest to `from`. Returns false if they stay connected.
  bool Separate(FlowId from, FlowId to);

 private:
  void AddLoop(InstId loop);
  void AddConditional(InstId conditional);
  void AddInPlace(InstId inst, const InPlacePairs& in_place);
  void AddResults(std::span<const AliasEntry> aliases);
  void Add(FlowId from, FlowId to, const ReadSlot& slot, bool fixed = false);
  void Index();
  // The points on a shortest remaining path; empty if there is none.
  [[nodiscard]] std::vector<uint32_t> Way(FlowId from, FlowId to);

  const Dataflow& flow_;
  const SameValues& same_;
  const Module& module_;
  std::vector<uint32_t> depths_;
  std::vector<AliasPoint> points_;
  std::vector<bool> cut_;
  std::map<ReadSlot, uint32_t> by_slot_;    // those that are not fixed
  std::vector<uint32_t> begins_, ends_of_;  // points at each value
  std::vector<uint32_t> reached_by_;        // by value, in the current search
};

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_ALIAS_POINTS_H_
