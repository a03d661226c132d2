// Periods are guessed from the distances between equal items and tried from the most frequent on: a
// period holds as long as items equal those one period later. The longest range is taken; then the
// ranges to its left and right are searched in the same way.
#include "halo/view/graph/repeats.h"

#include <algorithm>
#include <unordered_map>

namespace halo::view {
namespace {

constexpr size_t kPeriods = 24;
constexpr size_t kWindow = 4;

// A repetition that saves less is better shown in full.
bool IsWorthIt(uint64_t period, uint64_t count) {
  if (count < 2) return false;
  if (period < 3) return count >= 4 && (count - 1) * period >= 4;
  return count >= 3 ? (count - 1) * period >= 6 : period >= 10;
}

uint64_t Mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15ull + (a << 12) + (a >> 4);
  return a * 0xBF58476D1CE4E5B9ull;
}

class Finder {
 public:
  Finder(std::span<const uint64_t> sequence, const RepeatOptions& options)
      : sequence_(sequence), options_(options), budget_(400 * sequence.size() + 10'000) {}

  std::vector<Repeat> Find() {
    std::vector<std::pair<uint32_t, uint32_t>> todo = {
        {0, static_cast<uint32_t>(sequence_.size())}};
    std::vector<Repeat> found;
    while (!todo.empty()) {
      const auto [begin, end] = todo.back();
      todo.pop_back();
      if (end - begin < 4) continue;
      const Repeat best = Best(begin, end);
      if (best.count == 0) continue;
      found.push_back(best);
      todo.emplace_back(begin, best.first);
      todo.emplace_back(best.first + best.period * best.count, end);
    }
    std::sort(found.begin(), found.end(),
              [](const Repeat& a, const Repeat& b) { return a.first < b.first; });
    return found;
  }

 private:
  // The most frequent distances between equal items, and between equal short runs of them.
  std::vector<uint32_t> Periods(uint32_t begin, uint32_t end) const {
    std::vector<uint32_t> votes(end - begin + 1, 0);
    std::unordered_map<uint64_t, uint32_t> last;
    for (const size_t window : {size_t{1}, kWindow}) {
      last.clear();
      for (uint32_t i = begin; i + window <= end; ++i) {
        uint64_t key = sequence_[i];
        for (size_t k = 1; k < window; ++k) key = Mix(key, sequence_[i + k]);
        const auto [at, fresh] = last.try_emplace(key, i);
        if (!fresh) ++votes[i - at->second];
        at->second = i;
      }
    }
    std::vector<uint32_t> periods;
    for (uint32_t p = 1; p <= std::min(end - begin, options_.longest_period); ++p) {
      if (votes[p] != 0) periods.push_back(p);
    }
    const auto weight = [&](uint32_t p) { return uint64_t{votes[p]}; };
    std::sort(periods.begin(), periods.end(), [&](uint32_t a, uint32_t b) {
      return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
    });
    if (periods.size() > kPeriods) periods.resize(kPeriods);
    return periods;
  }

  Repeat Best(uint32_t begin, uint32_t end) {
    Repeat best;
    uint64_t best_gain = 0;
    if (budget_ < end - begin) return best;
    for (const uint32_t period : Periods(begin, end)) {
      if (budget_ < end - begin) break;
      budget_ -= end - begin;
      uint32_t run = 0;
      for (uint32_t i = begin; i <= end - period; ++i) {
        if (i + period < end && sequence_[i] == sequence_[i + period] &&
            (!options_.same || options_.same(i, i + period))) {
          ++run;
          continue;
        }
        const uint32_t count = (run + period) / period;
        const uint64_t gain = uint64_t{count - 1} * period;
        if (run != 0 && IsWorthIt(period, count) &&
            (gain > best_gain || (gain == best_gain && period < best.period))) {
          best_gain = gain;
          best = {Phase(i - run, run + period - count * period, period, count), period, count};
        }
        run = 0;
      }
    }
    return best;
  }

  // Chooses the start: anywhere in the first `slack` positions the number of repetitions is the
  // same.
  [[nodiscard]] uint32_t Phase(uint32_t first, uint32_t slack, uint32_t period,
                               uint32_t count) const {
    if (options_.carried.empty()) return first;
    uint32_t best = first;
    uint64_t least = UINT64_MAX;
    for (uint32_t shift = 0; shift <= slack; ++shift) {
      uint64_t sum = 0;
      for (uint32_t k = 0; k <= count; ++k) {
        const size_t at = size_t{first} + shift + size_t{k} * period;
        sum += at < options_.carried.size() ? options_.carried[at] : 0;
      }
      if (sum < least) {
        least = sum;
        best = first + shift;
      }
    }
    return best;
  }

  std::span<const uint64_t> sequence_;
  const RepeatOptions& options_;
  uint64_t budget_;  // comparisons left; only hostile inputs need more
};

}  // namespace

std::vector<Repeat> FindRepeats(std::span<const uint64_t> sequence, const RepeatOptions& options) {
  return Finder(sequence, options).Find();
}

}  // namespace halo::view
