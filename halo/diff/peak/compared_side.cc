// Each moment is one pass over the buffers of the assignment, which are then found by binary
// search.
#include "halo/diff/peak/compared_side.h"

#include <algorithm>

namespace halo {

LiveMoment::LiveMoment(const StoredValues& stored, int64_t time)
    : assignment_(stored.bound().assignment()) {
  for (size_t i = 0; i < assignment_.values.size(); ++i) {
    const AssignedValue& value = assignment_.values[i];
    if (!value.allocation.valid()) continue;
    const bool is_known = value.live.known();
    if (is_known && (time < value.live.start || value.live.end < time)) continue;
    const Position position = {stored.key(ValueId(i)), value.allocation, value.offset};
    positions_.push_back(position);
    if (is_known) holders_.push_back(position);
  }
  for (std::vector<Position>* list : {&positions_, &holders_}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  std::sort(holders_.begin(), holders_.end(), ByPosition);
}

const LiveMoment::Facts& LiveMoment::Of(StoredKey key) {
  const auto [at, is_new] = facts_.try_emplace(key);
  Facts& facts = at->second;
  if (!is_new) return facts;
  Position sought;
  sought.key = key;
  const auto positions = std::equal_range(positions_.begin(), positions_.end(), sought, ByKey);
  for (auto position = positions.first; position != positions.second; ++position) {
    ++facts.positions;
    if (!facts.held && !assignment_.allocation(position->allocation).is_preallocated_temp) {
      facts.held = position->allocation;
    }
    const auto there = std::equal_range(holders_.begin(), holders_.end(), *position, ByPosition);
    const auto count = there.second - there.first;
    if (count > 1 || (count == 1 && there.first->key != key)) facts.is_shared = true;
  }
  return facts;
}

LiveMoment& ComparedSide::at_peak() {
  if (!at_peak_) at_peak_.emplace(stored_, memory_.peak_time);
  return *at_peak_;
}

LiveMoment& ComparedSide::at_other_peak() {
  if (!at_other_peak_) at_other_peak_.emplace(stored_, other_time_);
  return *at_other_peak_;
}

const ComparedSide::KeyFacts& ComparedSide::FactsOf(StoredKey key) {
  const auto [at, is_new] = facts_.try_emplace(key);
  KeyFacts& facts = at->second;
  if (!is_new) return facts;
  std::vector<InstId> insts;
  for (const ValueId id : stored_.with(key)) {
    insts.push_back(stored_.bound().value(id).inst);
    facts.has_copy = facts.has_copy || stored_.is_copy(id);
    const Allocation& allocation = assignment().allocation(assignment().value(id).allocation);
    facts.in_parameter = facts.in_parameter || allocation.parameter >= 0;
  }
  std::sort(insts.begin(), insts.end());
  facts.instructions = static_cast<size_t>(std::unique(insts.begin(), insts.end()) - insts.begin());
  return facts;
}

}  // namespace halo
