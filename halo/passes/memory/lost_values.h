// Follows a scheduled program through its memory: each buffer holds one value at a time, and a
// value that another of its buffer has replaced is lost. Reports every read of a lost value, and
// values that would have to be held at once. The program is free of such findings exactly if values
// that share memory are never both needed.
#ifndef HALO_PASSES_MEMORY_LOST_VALUES_H_
#define HALO_PASSES_MEMORY_LOST_VALUES_H_

#include <cstdint>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/liveness/buffers.h"
#include "halo/analysis/sharing/can_share.h"
#include "halo/analysis/sharing/in_place.h"
#include "halo/passes/memory/alias_points.h"
#include "halo/passes/memory/same_values.h"

namespace halo {

struct LostValue {
  FlowId value;
  FlowId held;           // instead
  InstId writer;         // what replaced it first; in the reader's computation or below
  ReadSlot slot;         // who misses it; meaningless if at_once
  bool at_once = false;  // both are to be held at once: no order of reads and writes helps
};

class LostValues {
 public:
  LostValues(const Dataflow& flow, const SameValues& same, const InPlacePairs& in_place,
             const Buffers& buffers);

  [[nodiscard]] const std::vector<LostValue>& found() const { return found_; }

 private:
  enum class Role : uint8_t { kEntry, kCall, kCondition, kBody, kBranch };
  struct Frame {
    CompId comp;
    InstId caller;
    Role role = Role::kEntry;
    uint32_t next = 0;
    uint32_t branch = 0;
    size_t changes = 0;  // a branch's first in changes_
  };
  struct Change {
    BufferId buffer;
    FlowId before;
  };
  struct Lost {
    FlowId held;
    InstId writer;
  };

  void Walk();
  void Run(InstId inst);
  void Leave(const Frame& frame);
  void Enter(CompId comp, InstId caller, Role role, uint32_t branch = 0);
  void EndBranch(const Frame& frame);
  void Read(const ReadSlot& slot);
  void ReadOperand(InstId inst, uint32_t operand);
  void ReadRoot(CompId comp);
  // Of what was found missing since, what is read along with the value in its place.
  void FindReadTogether(size_t first);
  // Values that the instruction defines are held from here on.
  void Hold(InstId inst);
  // All that the instruction's result holds must be held at once.
  void CheckHeld(InstId inst);
  void Set(FlowId value, InstId writer);
  // What is written in place is lost to the instruction's other operands.
  void FindSelfReads(InstId inst);
  // An operand in whose memory the result is written, by an op that may still read it then.
  void FindOverwrittenOperands(InstId inst);
  // The writer, or the instruction of `comp` that it runs in; none if `comp` is below it.
  [[nodiscard]] InstId WriterIn(CompId comp, InstId writer) const;
  [[nodiscard]] bool IsArray(FlowId value) const {
    return value.valid() && module_.shapes.is_array(flow_.shape_of(value));
  }

  const Dataflow& flow_;
  const SameValues& same_;
  const Module& module_;
  const InPlacePairs& in_place_;
  const Buffers& buffers_;
  CanShare can_share_;
  std::vector<FlowId> held_;  // by each buffer
  std::vector<Lost> lost_;    // how each value was
  std::vector<bool> reported_;
  std::vector<Change> changes_;
  // What the branches so far of the conditionals around left changed: buffer and value.
  std::vector<std::vector<std::pair<BufferId, FlowId>>> branch_changes_;
  std::vector<Frame> stack_;
  std::vector<LostValue> found_;
};

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_LOST_VALUES_H_
