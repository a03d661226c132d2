// Counts how many sources have each value, so that a value is known to be new or gone without
// looking at the other sources.
#include "halo/analysis/dataflow/merged_inputs.h"

#include <utility>

namespace halo {

MergedInputs::MergedInputs(std::span<const InstId> sources, uint32_t width)
    : width_(width), merges_(width), is_touched_(width, false) {
  for (const InstId inst : sources) {
    const auto [found, is_new] =
        source_of_.try_emplace(inst.value, static_cast<uint32_t>(sources_.size()));
    if (is_new) {
      changed_.push_back(found->second);
      sources_.push_back({inst});
    }
    ++sources_[found->second].count;
  }
  seen_.assign(sources_.size() * width_, kNoValue);
}

void MergedInputs::NoteChange(InstId inst) {
  const auto found = source_of_.find(inst.value);
  if (found == source_of_.end() || sources_[found->second].is_changed) return;
  sources_[found->second].is_changed = true;
  changed_.push_back(found->second);
}

bool MergedInputs::Exchange(Merge& merge, uint32_t before, uint32_t now, uint32_t count) {
  if (before != kNoValue) {
    merge.arriving -= count;
    const auto found = merge.sources.find(before);
    found->second -= count;
    if (found->second == 0) merge.sources.erase(found);
  }
  if (now == kNoValue) return false;
  merge.arriving += count;
  uint32_t& sources = merge.sources[now];
  const bool arrived = sources == 0;
  sources += count;
  return arrived;
}

std::vector<uint32_t> MergedInputs::TakeTouched() {
  std::vector<uint32_t> touched = std::exchange(touched_, {});
  std::sort(touched.begin(), touched.end());
  for (const uint32_t node : touched) is_touched_[node] = false;
  return touched;
}

std::vector<uint32_t> MergedInputs::ValuesAt(uint32_t node) const {
  std::vector<uint32_t> values;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const uint32_t value = seen_[i * width_ + node];
    if (value != kNoValue) values.push_back(value);
  }
  return values;
}

}  // namespace halo
