// An assignment under construction: XLA's steps one after the other, over the problem of one
// program.
#ifndef HALO_MEMORY_ASSIGN_ASSIGNER_H_
#define HALO_MEMORY_ASSIGN_ASSIGNER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/memory/assign/assign_problem.h"
#include "halo/memory/assign/occupied_times.h"
#include "halo/memory/assign/reusable_allocations.h"
#include "halo/memory/backend/backend_rules.h"

namespace halo {

// An allocation under construction.
struct PlannedAllocation {
  struct Placed {
    FlowId value;
    int64_t offset = 0, size = 0;
  };

  int64_t size = 0;
  int64_t color = 0;
  FlowId parameter;  // the entry parameter's value it is for, if any
  bool is_donated = false;
  bool is_constant = false;
  bool is_thread_local = false;
  bool is_tuple = false;
  bool lives_out = false;
  bool holds_staying = false;  // holds a value that must not leave the program
  FreeWindow window;
  std::vector<Placed> values;
  [[nodiscard]] bool is_temp() const {
    return !parameter.valid() && !lives_out && !is_thread_local && !is_constant;
  }
};

// An allocation that was placed before buffers are assigned.
struct PresetAllocation {
  int64_t size = 0;
  int64_t color = 0;
  std::vector<PlannedAllocation::Placed> values;  // one for each buffer
};

class Assigner {
 public:
  Assigner(const AssignProblem& problem, const BackendRules& rules)
      : problem_(problem), rules_(rules), allocation_of_(problem.values.size(), kNowhere) {}

  void Run(std::span<const PresetAllocation> presets);
  [[nodiscard]] const std::vector<PlannedAllocation>& allocations() const { return allocations_; }

 private:
  void AssignPresets(std::span<const PresetAllocation> presets);
  void AssignComputations(bool is_thread_local);
  [[nodiscard]] std::vector<BufferId> SortedBuffers(bool is_thread_local) const;
  bool AssignSpecial(BufferId buffer, bool is_thread_local);
  void AssignOrDelay(BufferId buffer);
  bool TryFreeByTime(BufferId buffer);
  void KeepReusable(uint32_t allocation, BufferId buffer);
  [[nodiscard]] TimeSpan RangeOf(BufferId buffer) const;
  bool TryAllocation(uint32_t allocation, BufferId buffer);
  bool TryReusableAllocations(BufferId buffer);
  void AddReusable(uint32_t allocation);
  [[nodiscard]] bool IsAlwaysTaken(const PlannedAllocation& allocation) const;
  [[nodiscard]] bool MayLeave(const PlannedAllocation& allocation, BufferId buffer) const;
  // True if a value of the allocation is live when one of the buffer is.
  [[nodiscard]] bool IsOccupied(uint32_t allocation, BufferId buffer);
  // True if the buffer holds a copy of a value in the allocation.
  [[nodiscard]] bool HoldsCopy(uint32_t allocation, BufferId buffer) const;
  [[nodiscard]] bool Interferes(FlowId a, FlowId b) const;
  void AssignHeaps();
  void AssignHeap(int64_t color, const std::vector<FlowId>& values);
  // An operand of the value that is alone in its buffer, whose live range ends where the value's
  // starts, and whose interval is still in use; invalid if there is none.
  [[nodiscard]] FlowId DyingOperand(FlowId value, const std::vector<uint32_t>& interval,
                                    const std::vector<bool>& is_taken) const;
  // Puts values of main memory into gaps of another memory space's temporaries.
  void FillGaps(int64_t lender, std::vector<FlowId>& values);
  void MarkLiveOut();
  void JoinTemps();

  uint32_t NewAllocation(int64_t size, int64_t color);
  void Put(uint32_t allocation, BufferId buffer);
  void PutValue(uint32_t allocation, FlowId value, int64_t offset, int64_t size);
  [[nodiscard]] const std::vector<FlowId>& ValuesOf(BufferId buffer) const {
    return problem_.buffers[buffer.index()];
  }
  [[nodiscard]] bool lives_out(BufferId buffer) const { return problem_.lives_out[buffer.index()]; }
  [[nodiscard]] int64_t SizeOf(BufferId buffer) const { return problem_.sizes[buffer.index()]; }
  [[nodiscard]] int64_t ColorOf(BufferId buffer) const {
    return problem_.value(ValuesOf(buffer)[0]).color;
  }
  [[nodiscard]] TimeSpan RangeOf(FlowId value) const { return problem_.value(value).range; }

  static constexpr uint32_t kNowhere = UINT32_MAX;

  const AssignProblem& problem_;
  const BackendRules& rules_;
  std::vector<PlannedAllocation> allocations_;
  std::vector<uint32_t> allocation_of_;                   // by value
  std::vector<std::unique_ptr<OccupiedTimes>> occupied_;  // by allocation; made when first needed
  std::vector<BufferId> refused_;  // by allocation: the last buffer that it did not take
  // Allocations that later buffers may try. Those taken at all times are indexed by the times at
  // which one value gives way to another: only there can another value fit.
  ReusableAllocations reusable_;
  std::unordered_map<int64_t, std::vector<uint32_t>> taken_always_;
  // Allocations when buffers are assigned in order of time: those in use until a time, and those
  // free again, by color and size.
  std::set<std::pair<int64_t, uint32_t>> in_use_;
  std::map<int64_t, std::set<std::pair<int64_t, uint32_t>>> free_again_;
  std::vector<FlowId> delayed_;  // values left to the heaps
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_ASSIGNER_H_
