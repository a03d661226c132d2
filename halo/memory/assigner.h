// The assignment in the making: one step of XLA's after the other, over the analyses of one module.
#ifndef HALO_MEMORY_ASSIGNER_H_
#define HALO_MEMORY_ASSIGNER_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/analysis/buffers.h"
#include "halo/analysis/can_share.h"
#include "halo/analysis/dataflow.h"
#include "halo/analysis/in_place.h"
#include "halo/analysis/live_ranges.h"
#include "halo/memory/assign.h"

namespace halo {

class Assigner {
 public:
  Assigner(const Dataflow& flow, const InPlacePairs& in_place, const Buffers& buffers,
           const LiveRanges& ranges, const AssignOptions& options);

  void Run();
  // The outcome as the model all readers fill.
  [[nodiscard]] Assignment Outcome() const;

 private:
  struct Placed {
    FlowId value;
    int64_t offset = 0, size = 0;
  };

  struct Room {  // an allocation in the making
    int64_t size = 0;
    int64_t color = 0;
    int64_t parameter = -1;
    uint32_t parameter_node = 0;
    bool is_donated = false;
    bool is_constant = false;
    bool is_thread_local = false;
    bool is_tuple = false;
    bool lives_out = false;
    std::vector<Placed> values;
    [[nodiscard]] bool is_temp() const {
      return parameter < 0 && !lives_out && !is_thread_local && !is_constant;
    }
  };

  void MeasureValues();
  void ResizeValues();
  [[nodiscard]] FlowId ValueAt(const std::string& instruction, std::span<const int64_t> index);
  void SortComputations();
  void AssignPresets();
  void AssignComputations(bool is_thread_local);
  [[nodiscard]] std::vector<BufferId> SortedBuffers(bool is_thread_local) const;
  bool AssignSpecial(BufferId buffer, bool is_thread_local);
  void AssignOrDelay(BufferId buffer);
  bool TryFreeByTime(BufferId buffer);
  void KeepReusable(uint32_t room, BufferId buffer);
  [[nodiscard]] TimeSpan RangeOf(BufferId buffer) const;
  bool TryRoom(uint32_t room, BufferId buffer);
  bool TryReusableRooms(BufferId buffer);
  void AddReusable(uint32_t room);
  [[nodiscard]] bool IsAlwaysTaken(const Room& room) const;
  [[nodiscard]] bool Interferes(FlowId a, FlowId b) const;
  [[nodiscard]] bool SharesAsOperand(FlowId user, FlowId operand) const;
  void AssignHeaps();
  void AssignHeap(int64_t color, const std::vector<FlowId>& values);
  void FillGapsOfOtherColors(int64_t color, std::vector<FlowId>& values);
  void MarkLiveOut();
  void JoinTemps();

  uint32_t NewRoom(int64_t size, int64_t color);
  void Put(uint32_t room, BufferId buffer);
  void PutValue(uint32_t room, FlowId value, int64_t offset, int64_t size);
  [[nodiscard]] bool is_placed(BufferId buffer) const {
    return room_of_[buffers_.values(buffer)[0].index()] != kNowhere;
  }

  static constexpr uint32_t kNowhere = UINT32_MAX;

  const Dataflow& flow_;
  const Module& module_;
  const InPlacePairs& in_place_;
  const Buffers& buffers_;
  const LiveRanges& ranges_;
  const AssignOptions& options_;
  CanShare can_share_;
  enum class Kind : uint8_t { kUnreached, kGlobal, kThreadLocal };
  std::vector<Kind> kinds_;         // of computations
  std::vector<int64_t> bytes_;      // of values
  std::vector<int64_t> colors_;     // of values
  std::vector<int64_t> sizes_;      // of buffers
  std::vector<uint32_t> position_;  // of instructions in the order buffers are looked at
  std::unordered_map<std::string_view, InstId> by_name_;  // filled when first asked
  std::vector<Room> rooms_;
  std::vector<uint32_t> room_of_;  // of values
  // Rooms that later buffers may try, oldest first. Those that are taken at all times are kept by
  // the times at which one value gives way to another: only there can a value pass.
  std::vector<uint32_t> reusable_;
  std::unordered_map<int64_t, std::vector<uint32_t>> taken_always_;
  // Rooms when buffers come in order of time: rooms in use until a time, and those free again
  // by color and size.
  std::set<std::pair<int64_t, uint32_t>> in_use_;
  std::map<int64_t, std::set<std::pair<int64_t, uint32_t>>> free_again_;
  std::vector<FlowId> delayed_;        // values left to the heaps
  std::vector<uint32_t> other_color_;  // values placed in gaps of another color's room
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGNER_H_
