// One program's memory as the comparison of peaks asks about it: which buffers hold a value at a
// moment, and how often the program stores the value. Many items of a peak may hold one value, as
// where every level of a program calls a computation asynchronously, so each answer is found once.
#ifndef HALO_DIFF_PEAK_COMPARED_SIDE_H_
#define HALO_DIFF_PEAK_COMPARED_SIDE_H_

#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "halo/diff/peak/stored_values.h"
#include "halo/memory/explain/explain.h"

namespace halo {

// The buffers that are live at one time.
class LiveMoment {
 public:
  // Where a value is at that time.
  struct Facts {
    size_t positions = 0;              // a value whose live range is unknown counts
    std::optional<AllocationId> held;  // the first of them that is held from start to end
    bool is_shared = false;            // one of them is known to hold another value too
  };

  LiveMoment(const StoredValues& stored, int64_t time);
  [[nodiscard]] const Facts& Of(StoredKey key);

 private:
  struct Position {
    StoredKey key = 0;
    AllocationId allocation;
    int64_t offset = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
  };
  [[nodiscard]] static bool ByKey(const Position& x, const Position& y) { return x.key < y.key; }
  [[nodiscard]] static bool ByPosition(const Position& x, const Position& y) {
    return std::tie(x.allocation, x.offset) < std::tie(y.allocation, y.offset);
  }

  const Assignment& assignment_;
  std::vector<Position> positions_;  // by key; each once
  std::vector<Position> holders_;    // by position; those with known live ranges
  std::unordered_map<StoredKey, Facts> facts_;
};

class ComparedSide {
 public:
  // What does not depend on the time.
  struct KeyFacts {
    size_t instructions = 0;    // that store the value
    bool has_copy = false;      // one of them copies it
    bool in_parameter = false;  // one of them stores it in the memory of an input
  };

  ComparedSide(StoredValues& stored, const MemoryExplanation& memory)
      : stored_(stored), memory_(memory) {}

  [[nodiscard]] StoredValues& stored() const { return stored_; }
  [[nodiscard]] const MemoryExplanation& memory() const { return memory_; }
  [[nodiscard]] const Assignment& assignment() const { return stored_.bound().assignment(); }

  // The time in this program at which the other one's peak would be.
  void set_other_time(int64_t time) { other_time_ = time; }

  [[nodiscard]] LiveMoment& at_peak();
  [[nodiscard]] LiveMoment& at_other_peak();
  [[nodiscard]] const KeyFacts& FactsOf(StoredKey key);

 private:
  StoredValues& stored_;
  const MemoryExplanation& memory_;
  int64_t other_time_ = -1;
  std::optional<LiveMoment> at_peak_, at_other_peak_;
  std::unordered_map<StoredKey, KeyFacts> facts_;
};

}  // namespace halo

#endif  // HALO_DIFF_PEAK_COMPARED_SIDE_H_
