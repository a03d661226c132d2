// Where a program forces two values into the same memory: an operand written in place, what enters
// a loop or comes round in it, what a branch returns, a result for which a parameter was donated.
// At each such point a copy would set them apart. The tuples concerned were spread before.
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

// Where an instruction reads an array: a node of an operand. Without a user: a node of what `comp`
// returns.
struct ReadSlot {
  InstId user;
  uint32_t operand = 0;
  uint32_t node = 0;
  CompId comp;
  friend auto operator<=>(const ReadSlot&, const ReadSlot&) = default;
};

// The instruction that holds the array of a slot, and its node there.
Place PositionOf(const Module& module, const ReadSlot& slot);

struct AliasPoint {
  FlowId from, to;
  ReadSlot slot;       // where a copy of `from` would be read instead
  uint32_t depth = 0;  // of loops around it
  bool fixed = false;  // no copy can stand here
};

// Values by the module's own input_output_alias.
std::vector<AliasEntry> ModuleAliases(const Module& module);
// How many loops each computation runs in.
std::vector<uint32_t> LoopDepths(const Module& module, const CallGraph& calls);

class AliasPoints {
 public:
  AliasPoints(const Dataflow& flow, const SameValues& same, const InPlacePairs& in_place,
              std::span<const AliasEntry> aliases);

  [[nodiscard]] const std::vector<AliasPoint>& all() const { return points_; }
  [[nodiscard]] bool is_cut(size_t point) const { return cut_[point]; }
  void Cut(size_t point) { cut_[point] = true; }
  // The point where a slot makes values share memory, if it does.
  void CutAt(const ReadSlot& slot);
  // True if points that are not cut tie the two values together.
  [[nodiscard]] bool Connected(FlowId from, FlowId to) { return !Way(from, to).empty(); }
  // Cuts points until nothing ties the two values together, the ones in fewest loops first, then
  // those close to `from`. False if they stay together.
  bool Separate(FlowId from, FlowId to);

 private:
  void AddLoop(InstId loop);
  void AddConditional(InstId conditional);
  void AddInPlace(InstId inst, const InPlacePairs& in_place);
  void AddResults(std::span<const AliasEntry> aliases);
  void Add(FlowId from, FlowId to, const ReadSlot& slot, bool fixed = false);
  void Index();
  // The points on a shortest way that is left; empty if there is none.
  [[nodiscard]] std::vector<uint32_t> Way(FlowId from, FlowId to);

  const Dataflow& flow_;
  const SameValues& same_;
  const Module& module_;
  std::vector<uint32_t> depths_;
  std::vector<AliasPoint> points_;
  std::vector<bool> cut_;
  std::map<ReadSlot, uint32_t> by_slot_;    // of those that are not fixed
  std::vector<uint32_t> begins_, ends_of_;  // points at each value
  std::vector<uint32_t> reached_by_;        // of each value in the walk at hand
};

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_ALIAS_POINTS_H_
