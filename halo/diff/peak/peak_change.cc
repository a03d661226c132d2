// Items of both peaks are paired by the value they hold, equal sizes first. What stays alone is
// explained by where the other program has the value.
#include "halo/diff/peak/peak_change.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "halo/diff/peak/compared_side.h"

namespace halo {
namespace {

PeakSide Describe(const PeakInput& input) {
  const MemoryExplanation& memory = input.explanation;
  PeakSide side;
  side.bytes = memory.device_bytes;
  side.held_bytes = memory.held_bytes;
  side.heap_bytes = memory.temp_bytes;
  side.live_bytes = memory.peak_live;
  side.time = memory.has_times ? memory.peak_time : -1;
  side.instruction = memory.peak_instruction;
  side.op_name = memory.peak_op_name;
  side.is_planned = input.is_planned;
  return side;
}

bool IsHeld(const LiveEntry& entry) { return entry.memory_kind != MemoryKind::kTemp; }

// The moment in `to` that corresponds to the peak of `from`: when the same value is computed, or
// the last one before it that both have.
int64_t Corresponding(const ComparedSide& from, const ComparedSide& to) {
  const BoundAssignment& bound = from.stored().bound();
  for (int64_t time = from.memory().peak_time; time >= 0; --time) {
    const InstId inst = bound.at(time);
    if (!inst.valid()) continue;
    const StoredKey key = from.stored().KeyOf(from.stored().resolver().Resolve(inst, 0));
    if (!StoredValues::is_value(key)) continue;
    int64_t first = -1;
    for (const ValueId value : to.stored().with(key)) {
      const int64_t at = to.stored().bound().time(to.stored().bound().value(value).inst);
      if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    if (first >= 0) return first;
  }
  return -1;
}

// True if a value of `here` is a copy of which `there` makes fewer.
bool IsAddedCopy(ValueId value, ComparedSide& here, ComparedSide& there) {
  const StoredKey key = here.stored().key(value);
  return here.stored().is_copy(value) &&
         here.FactsOf(key).instructions > there.FactsOf(key).instructions;
}

bool Overlap(const LiveRange& x, const LiveRange& y) {
  return x.known() && y.known() && x.start <= y.end && y.start <= x.end;
}

// `value` does not fit in `here` into the allocation that corresponds to `held` of `there`, because
// another value is live at the same time now. Returns that one; invalid if there is none.
ValueId Displacing(ValueId value, ComparedSide& here, ComparedSide& there, AllocationId held) {
  const StoredKey key = here.stored().key(value);
  const Assignment& now = here.assignment();
  const Assignment& before = there.assignment();
  const LiveRange live = now.value(value).live;
  const auto overlaps_there = [&](StoredKey other) {
    for (const ValueId x : there.stored().with(key)) {
      for (const ValueId y : there.stored().with(other)) {
        if (Overlap(before.value(x).live, before.value(y).live)) return true;
      }
    }
    return false;
  };
  std::set<AllocationId> seen;
  for (const ValueId old : before.values_of(before.allocation(held))) {
    if (there.stored().key(old) == key) continue;
    for (const ValueId moved : here.stored().with(there.stored().key(old))) {
      const AllocationId same = now.value(moved).allocation;
      if (now.allocation(same).is_preallocated_temp || !seen.insert(same).second) continue;
      for (const ValueId id : now.values_of(now.allocation(same))) {
        if (id == value || !Overlap(now.value(id).live, live)) continue;
        const StoredKey other = here.stored().key(id);
        if (IsAddedCopy(id, here, there)) return id;
        if (other != key && !overlaps_there(other)) return id;
      }
    }
  }
  return {};
}

class Comparer {
 public:
  Comparer(ComparedSide before, ComparedSide after) : a_(std::move(before)), b_(std::move(after)) {}

  void Compare(PeakChange& change) {
    a_.set_other_time(Corresponding(b_, a_));
    b_.set_other_time(Corresponding(a_, b_));
    Pair();
    for (const auto& [x, y] : pairs_) {
      const int64_t bytes = y->bytes - x->bytes;
      if (bytes == 0) continue;
      change.resized += bytes;
      Add(PeakCauseKind::kSize, SizeText(*x, *y), bytes, x, y);
    }
    for (const LiveEntry* entry : only_b_) {
      change.only_after += entry->bytes;
      const Reason why = Why(*entry, b_, a_, true);
      Add(why.kind, why.text, entry->bytes, nullptr, entry, why.because);
    }
    for (const LiveEntry* entry : only_a_) {
      change.only_before -= entry->bytes;
      const Reason why = Why(*entry, a_, b_, false);
      Add(why.kind, why.text, -entry->bytes, entry, nullptr, why.because);
    }
    change.packing = change.bytes() - change.only_after - change.only_before - change.resized;
    if (change.packing != 0) {
      Add(PeakCauseKind::kPacking,
          change.packing > 0 ? "the heap has more unused bytes at its peak"
                             : "the heap has fewer unused bytes at its peak",
          change.packing, nullptr, nullptr);
    }
    for (PeakCause& cause : causes_) {
      std::sort(cause.places.begin(), cause.places.end(),
                [](const PeakPlace& x, const PeakPlace& y) {
                  if (std::abs(x.bytes) != std::abs(y.bytes)) {
                    return std::abs(x.bytes) > std::abs(y.bytes);
                  }
                  return std::tie(x.value_after, x.value_before) <
                         std::tie(y.value_after, y.value_before);
                });
      change.causes.push_back(std::move(cause));
    }
  }

 private:
  void Pair() {
    std::vector<bool> used(b_.memory().entries.size(), false);
    std::vector<const LiveEntry*> open;
    for (const LiveEntry& entry : a_.memory().entries) open.push_back(&entry);
    // By value, memory kind and bytes; then without the bytes; then by value alone.
    for (int round = 0; round < 3; ++round) {
      using Key = std::tuple<StoredKey, bool, int64_t>;
      const auto key = [&](const ComparedSide& side, const LiveEntry& entry) {
        return Key(side.stored().key(entry.value), round < 2 && IsHeld(entry),
                   round < 1 ? entry.bytes : 0);
      };
      std::map<Key, std::vector<size_t>> waiting;
      for (size_t j = b_.memory().entries.size(); j > 0; --j) {
        if (!used[j - 1]) waiting[key(b_, b_.memory().entries[j - 1])].push_back(j - 1);
      }
      std::vector<const LiveEntry*> left;
      for (const LiveEntry* entry : open) {
        const auto found = waiting.find(key(a_, *entry));
        if (found == waiting.end() || found->second.empty()) {
          left.push_back(entry);
          continue;
        }
        const size_t j = found->second.back();
        found->second.pop_back();
        used[j] = true;
        pairs_.emplace_back(entry, &b_.memory().entries[j]);
      }
      open = std::move(left);
    }
    only_a_ = std::move(open);
    for (size_t j = 0; j < used.size(); ++j) {
      if (!used[j]) only_b_.push_back(&b_.memory().entries[j]);
    }
  }

  struct Reason {
    PeakCauseKind kind = PeakCauseKind::kMoment;
    std::string text;
    std::string because = {};
  };

  // Why an item is at the peak of `here` and not of `there`; `is_new` if `here` is the second
  // program.
  static Reason Why(const LiveEntry& entry, ComparedSide& here, ComparedSide& there, bool is_new) {
    const auto reason = [&](PeakCauseKind kind, std::string_view added, std::string_view gone) {
      return Reason{kind, std::string(is_new ? added : gone)};
    };
    const StoredKey key = here.stored().key(entry.value);
    const std::string op = entry.opcode.empty() ? "value" : entry.opcode;
    if (!StoredValues::is_value(key)) {
      if (!IsHeld(entry) && !there.stored().with(key).empty()) return Moment();
      const std::string what = IsHeld(entry) ? entry.kind + " memory" : op;
      return reason(PeakCauseKind::kValues, what + " added", what + " removed");
    }
    if (there.stored().with(key).empty()) {
      if (!here.stored().is_matched(key)) {
        return reason(PeakCauseKind::kValues, op + " added", op + " removed");
      }
      if (here.stored().is_copy(entry.value)) return Copies(is_new);
      return reason(PeakCauseKind::kFusion, "in memory now, inside a kernel before",
                    "inside a kernel now, in memory before");
    }
    if (entry.memory_kind == MemoryKind::kOutput && there.FactsOf(key).in_parameter) {
      return reason(PeakCauseKind::kDonation, "results no longer take over an input's memory",
                    "results take over an input's memory now");
    }
    const LiveMoment::Facts& live_there = there.at_other_peak().Of(key);
    if (live_there.positions >= here.at_peak().Of(key).positions) {
      if (!IsHeld(entry) && live_there.held) {
        return WhyMoved(entry, here, there, *live_there.held, is_new);
      }
      if (live_there.is_shared) {
        return reason(PeakCauseKind::kSharing,
                      "no longer share memory with what they are computed from",
                      "share memory with what they are computed from now");
      }
      return Moment();
    }
    if (here.FactsOf(key).instructions > there.FactsOf(key).instructions) {
      if (here.FactsOf(key).has_copy) return Copies(is_new);
      return reason(PeakCauseKind::kRepeated, "computed more often", "computed less often");
    }
    return reason(PeakCauseKind::kLife, "live at the peak now, not live at that moment before",
                  "no longer live at that moment");
  }

  // Why an item is in the heap of `here` and in `held` of `there`.
  static Reason WhyMoved(const LiveEntry& entry, ComparedSide& here, ComparedSide& there,
                         AllocationId held, bool is_new) {
    const ValueId by = Displacing(entry.value, here, there, held);
    const std::string because =
        by.valid() ? here.assignment().NameOf(here.assignment().value(by)) : "";
    if (by.valid() && IsAddedCopy(by, here, there)) return Copies(is_new, because);
    if (by.valid() && !there.stored().with(here.stored().key(by)).empty()) {
      return {PeakCauseKind::kLife,
              "displaced from the memory of an input or result by other live ranges there",
              because};
    }
    return {PeakCauseKind::kSharing,
            is_new ? "in the heap now, in memory of an input or result before"
                   : "in memory of an input or result now, in the heap before"};
  }

  static Reason Moment() { return {PeakCauseKind::kMoment, "the peak is at another moment"}; }
  static Reason Copies(bool is_new, const std::string& because = {}) {
    return {PeakCauseKind::kCopy, is_new ? "copies added" : "copies removed", because};
  }

  static std::string Bare(const LiveEntry& entry) {
    return entry.shape.substr(0, entry.shape.find('{'));
  }

  static std::string SizeText(const LiveEntry& x, const LiveEntry& y) {
    if (Bare(x) != Bare(y)) return Bare(x) + " became " + Bare(y);
    return x.shape == y.shape ? "the same shape takes another number of bytes"
                              : "another layout, " + x.shape + " became " + y.shape;
  }

  void Add(PeakCauseKind kind, const std::string& what, int64_t bytes, const LiveEntry* x,
           const LiveEntry* y, const std::string& because = {}) {
    const auto [at, is_new] = known_.try_emplace({kind, what}, causes_.size());
    if (is_new) {
      causes_.emplace_back();
      causes_.back().kind = kind;
      causes_.back().what = what;
    }
    PeakCause& cause = causes_[at->second];
    ++cause.count;
    cause.bytes += bytes;
    if (x == nullptr && y == nullptr) return;
    PeakPlace place;
    place.bytes = bytes;
    place.because = because;
    if (x != nullptr) {
      place.before = x->name;
      place.value_before = x->value;
    }
    if (y != nullptr) {
      place.after = y->name;
      place.value_after = y->value;
    }
    cause.places.push_back(std::move(place));
  }

  ComparedSide a_, b_;
  std::vector<std::pair<const LiveEntry*, const LiveEntry*>> pairs_;
  std::vector<const LiveEntry*> only_a_, only_b_;
  std::vector<PeakCause> causes_;
  std::map<std::pair<PeakCauseKind, std::string>, size_t> known_;
};

}  // namespace

std::string_view TextOf(PeakCauseKind kind) {
  static constexpr std::array<std::string_view, 10> kTexts = {
      "donation", "fusion", "copy",   "repeated", "live range",
      "sharing",  "size",   "values", "moment",   "packing"};
  return kTexts[static_cast<size_t>(kind)];
}

PeakChange ComparePeaks(StoredValues& before, const PeakInput& memory_before, StoredValues& after,
                        const PeakInput& memory_after) {
  PeakChange change;
  change.before = Describe(memory_before);
  change.after = Describe(memory_after);
  Comparer({before, memory_before.explanation}, {after, memory_after.explanation}).Compare(change);
  RankCauses(change);
  return change;
}

void RankCauses(PeakChange& change) {
  const bool grows = change.bytes() >= 0;
  // Of the whole change, how much a cause explains, doubled.
  const auto explained = [&](const PeakCause& cause) {
    const int64_t bytes = cause.replayed.value_or(cause.bytes);
    const int64_t share = std::min(std::abs(bytes), std::abs(change.bytes()));
    return (bytes >= 0) == grows ? share * (cause.replayed ? 2 : 1) : int64_t{0};
  };
  const auto rank = [&](const PeakCause& cause) {
    if (cause.kind == PeakCauseKind::kMoment || cause.kind == PeakCauseKind::kPacking) return 2;
    return (cause.bytes >= 0) == grows ? 0 : 1;
  };
  std::sort(change.causes.begin(), change.causes.end(),
            [&](const PeakCause& x, const PeakCause& y) {
              if (rank(x) != rank(y)) return rank(x) < rank(y);
              if (explained(x) != explained(y)) return explained(x) > explained(y);
              if (std::abs(x.bytes) != std::abs(y.bytes)) {
                return std::abs(x.bytes) > std::abs(y.bytes);
              }
              return std::tie(x.kind, x.what) < std::tie(y.kind, y.what);
            });
}

}  // namespace halo
