// A set of small numbers from which the smallest is taken first: a bitmap with a summary level
// above each 64 bits, so that adding and taking cost a few instructions whatever the size.
#ifndef HALO_ANALYSIS_DATAFLOW_WORK_SET_H_
#define HALO_ANALYSIS_DATAFLOW_WORK_SET_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halo {

class WorkSet {
 public:
  void Resize(size_t count) {
    levels_.clear();
    do {
      count = (count + 63) / 64;
      levels_.emplace_back(count, 0);
    } while (count > 1);
  }

  void Add(size_t number) {
    for (auto& level : levels_) {
      level[number / 64] |= uint64_t{1} << (number % 64);
      number /= 64;
    }
  }

  [[nodiscard]] bool empty() const { return levels_.empty() || levels_.back()[0] == 0; }

  // Removes and returns the smallest number; the set must not be empty.
  size_t TakeFirst() {
    size_t number = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      number = number * 64 + static_cast<size_t>(std::countr_zero((*level)[number]));
    }
    size_t at = number;
    for (auto& level : levels_) {
      uint64_t& word = level[at / 64];
      word &= ~(uint64_t{1} << (at % 64));
      if (word != 0) break;
      at /= 64;
    }
    return number;
  }

 private:
  std::vector<std::vector<uint64_t>> levels_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DATAFLOW_WORK_SET_H_
