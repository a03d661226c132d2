// The values that reach one parameter from many callers. Each call may change what a parameter
// holds, so the sources that changed are compared, not all of them; the cost of a program with n
// calls of one computation is that of n changes.
#ifndef HALO_ANALYSIS_DATAFLOW_MERGED_INPUTS_H_
#define HALO_ANALYSIS_DATAFLOW_MERGED_INPUTS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

class MergedInputs {
 public:
  static constexpr uint32_t kNoValue = UINT32_MAX;

  // What is known about one position of the parameter.
  struct Merge {
    size_t arriving = 0;                             // sources with a value, with repetition
    std::unordered_map<uint32_t, uint32_t> sources;  // of each value
  };

  // `sources` in the order of the callers; one may occur often. `width` is the number of positions
  // of the parameter.
  MergedInputs(std::span<const InstId> sources, uint32_t width);

  // Notes that the result of an instruction has changed. Others than sources are ignored.
  void NoteChange(InstId inst);

  // Reads the sources that changed since the last call, in order: value(source, node) returns the
  // value of a source at a position, kNoValue if there is none. Calls arrived(node, value) for each
  // value that is new at a position.
  template <class Value, class Arrived>
  void Read(const Value& value, const Arrived& arrived) {
    std::vector<uint32_t> changed;
    changed.swap(changed_);
    std::sort(changed.begin(), changed.end());
    for (const uint32_t at : changed) {
      Source& source = sources_[at];
      source.is_changed = false;
      for (uint32_t node = 0; node < width_; ++node) {
        uint32_t& seen = seen_[size_t{at} * width_ + node];
        const uint32_t now = value(source.inst, node);
        if (now == seen) continue;
        if (Exchange(merges_[node], seen, now, source.count)) arrived(node, now);
        seen = now;
        if (!is_touched_[node]) touched_.push_back(node);
        is_touched_[node] = true;
      }
    }
  }

  // The positions at which something has changed since this was last called.
  [[nodiscard]] std::vector<uint32_t> TakeTouched();

  [[nodiscard]] const Merge& at(uint32_t node) const { return merges_[node]; }
  // The values at a position in the order of the callers.
  [[nodiscard]] std::vector<uint32_t> ValuesAt(uint32_t node) const;

 private:
  struct Source {
    InstId inst;
    uint32_t count = 0;  // how many callers pass it
    bool is_changed = true;
  };

  // True if the value `now` had no source before.
  static bool Exchange(Merge& merge, uint32_t before, uint32_t now, uint32_t count);

  uint32_t width_;
  std::vector<Source> sources_;
  std::unordered_map<uint32_t, uint32_t> source_of_;  // by instruction
  std::vector<uint32_t> changed_;                     // sources
  std::vector<uint32_t> seen_;                        // by source and node
  std::vector<Merge> merges_;                         // by node
  std::vector<uint32_t> touched_;
  std::vector<bool> is_touched_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DATAFLOW_MERGED_INPUTS_H_
