// Simulates the memory of a scheduled program. Each buffer holds one value at a time, and a value
// that was replaced by another in its buffer is lost. Reports every read of a lost value, and
// values that would have to be live at once. The program has no such findings exactly if values
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
  FlowId held;           // what the buffer holds instead
  InstId writer;         // what first replaced it; in the reader's computation or below
  ReadSlot slot;         // the read that misses it; meaningless if at_once
  bool at_once = false;  // both must be live at once; reordering does not help
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
    size_t changes = 0;  // index of a branch's first entry in changes_
  };
  struct Change {
    BufferId buffer;
    FlowId before;
  };
  struct Lost {
    FlowId held;
    InstId writer;
  };
  struct OperandArray {
    BufferId buffer;
    FlowId value;
    uint32_t operand = 0, node = 0;
  };

  void Walk();
  void Run(InstId inst);
  void Leave(const Frame& frame);
  void Enter(CompId comp, InstId caller, Role role, uint32_t branch = 0);
  void EndBranch(const Frame& frame);
  void Read(const ReadSlot& slot);
  void ReadOperand(InstId inst, uint32_t operand);
  void ReadRoot(CompId comp);
  // Among the lost values found since `first`, marks those that are read together with their
  // replacement.
  void FindReadTogether(size_t first);
  // From here on, the values defined by the instruction are held.
  void Hold(InstId inst);
  // Checks that everything in the instruction's result is held at once.
  void CheckHeld(InstId inst);
  void Set(FlowId value, InstId writer);
  // A value written in place is lost to the instruction's other operands.
  void FindSelfReads(InstId inst);
  // Finds operands in whose memory the result is written by an op that may still read them.
  void FindOverwrittenOperands(InstId inst);
  void ListOperands(const Inst& inst);
  // The writer, or the instruction of `comp` that contains it; none if `comp` is below it.
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
  std::vector<FlowId> held_;  // by buffer
  std::vector<Lost> lost_;    // how each value was lost
  std::vector<bool> reported_;
  std::vector<Change> changes_;
  // The changes left by the branches seen so far, for each enclosing conditional: buffer and value.
  std::vector<std::vector<std::pair<BufferId, FlowId>>> branch_changes_;
  std::vector<std::vector<CompId>> branches_;  // of each enclosing conditional
  std::vector<Frame> stack_;
  std::vector<LostValue> found_;
  std::vector<OperandArray> operands_;  // of one instruction
};

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_LOST_VALUES_H_
