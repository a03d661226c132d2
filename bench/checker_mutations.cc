// Damages correct assignments at random, and asks both the checker and a plain reference checker
// whether the result is sound. Prints, for each kind of damage, how many were harmful and harmless
// and how often the two disagree. The last line is JSON.
//   checker_mutations LIST COUNT [SEED]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/assignment_list.h"
#include "bench/plain_oracle.h"
#include "halo/ir/attributes/aliasing.h"

namespace {

using halo::AllocationId;
using halo::AssignedValue;
using halo::Assignment;
using halo::ValueId;

struct Base {
  halo_bench::LoadedAssignment loaded;
  std::unique_ptr<halo_bench::PlainOracle> oracle;
  std::vector<uint32_t> placed;
};

// Brute force is only feasible for small assignments.
constexpr size_t kMaxValues = 300;
constexpr size_t kMaxTimes = 500;

class Mutator {
 public:
  Mutator(const Base& base, std::mt19937_64& random)
      : base_(base), random_(random), a_(base.loaded.assignment) {}

  Assignment& assignment() { return a_; }
  [[nodiscard]] const halo::Module* module() const { return module_.get(); }

  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  int64_t Between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  uint32_t AnyValue() { return base_.placed[Below(base_.placed.size())]; }
  // Prefers values that share an allocation: arenas matter more than most allocations.
  uint32_t AnyValueOfShared() {
    for (int tries = 0; tries < 20; ++tries) {
      const uint32_t id = AnyValue();
      if (a_.allocation(a_.values[id].allocation).count > 1) return id;
    }
    return AnyValue();
  }

  std::vector<uint32_t> Group(uint32_t id, bool whole) {
    if (!whole || base_.oracle->labels()[id] < 0) return {id};
    std::vector<uint32_t> group;
    for (const uint32_t other : base_.placed) {
      if (base_.oracle->labels()[other] == base_.oracle->labels()[id]) group.push_back(other);
    }
    return group;
  }

  // Each kind of damage returns whether it changed anything.
  bool ShiftOffset(bool whole) {
    const uint32_t id = AnyValueOfShared();
    const int64_t step = Below(2) == 0 ? 64 : 1;
    const int64_t by = step * Between(-8, 8);
    for (const uint32_t v : Group(id, whole)) a_.values[v].offset += by;
    return by != 0;
  }
  // Moves a value to any offset in its allocation where it fits.
  bool MoveInside(bool whole) {
    const uint32_t id = AnyValueOfShared();
    const halo::Allocation& allocation = a_.allocation(a_.values[id].allocation);
    const int64_t free = std::max<int64_t>(0, allocation.size - a_.values[id].size);
    const int64_t to = Between(0, free / 64) * 64;
    const bool changed = to != a_.values[id].offset;
    for (const uint32_t v : Group(id, whole)) a_.values[v].offset = to;
    return changed;
  }
  bool SwapOffsets(bool whole) {
    const uint32_t x = AnyValueOfShared();
    const halo::Allocation& allocation = a_.allocation(a_.values[x].allocation);
    const uint32_t y = a_.placed[allocation.first + Below(allocation.count)].value;
    const int64_t at_x = a_.values[x].offset;
    const int64_t at_y = a_.values[y].offset;
    for (const uint32_t v : Group(x, whole)) a_.values[v].offset = at_y;
    for (const uint32_t v : Group(y, whole)) a_.values[v].offset = at_x;
    return at_x != at_y;
  }
  // Moves a value onto the location of another value.
  bool MoveOnto(bool whole) {
    const uint32_t x = AnyValue();
    const uint32_t y = AnyValueOfShared();
    const AssignedValue to = a_.values[y];
    const bool changed =
        to.allocation != a_.values[x].allocation || to.offset != a_.values[x].offset;
    for (const uint32_t v : Group(x, whole)) {
      a_.values[v].allocation = to.allocation;
      a_.values[v].offset = to.offset;
      a_.values[v].color = a_.allocation(to.allocation).color;
    }
    ListPlaced();
    return changed;
  }
  bool MoveToNew(bool whole) {
    const uint32_t id = AnyValue();
    const halo::Allocation old = a_.allocation(a_.values[id].allocation);
    halo::Allocation fresh;
    fresh.color = old.color;
    fresh.is_thread_local = old.is_thread_local;
    fresh.maybe_live_out = Below(2) == 0;
    const auto to = AllocationId(a_.allocations.size());
    for (const uint32_t v : Group(id, whole)) {
      a_.values[v].allocation = to;
      a_.values[v].offset = 0;
      fresh.size = std::max(fresh.size, a_.values[v].size);
    }
    a_.allocations.push_back(fresh);
    a_.total_bytes += fresh.size;
    ListPlaced();
    return true;
  }
  bool ResizeAllocation(bool smaller) {
    halo::Allocation& allocation = a_.allocations[Below(a_.allocations.size())];
    int64_t by = Between(1, std::max<int64_t>(1, allocation.size / 2));
    if (Below(2) == 0) by = 1;
    if (smaller) by = -std::min(by, allocation.size);
    allocation.size += by;
    a_.total_bytes += by;
    return by != 0;
  }
  bool ChangeSize() {
    AssignedValue& value = a_.values[AnyValue()];
    const int64_t before = value.size;
    value.size = std::max<int64_t>(0, value.size + Between(-4, 4));
    return value.size != before;
  }
  bool ChangeRange(bool shorter) {
    AssignedValue& value = a_.values[AnyValue()];
    if (!value.live.known()) return false;
    const halo::LiveRange before = value.live;
    const int64_t by = Between(1, 10) * (shorter ? 1 : -1);
    if (Below(2) == 0) {
      value.live.start = std::clamp<int64_t>(value.live.start + by, 0, value.live.end);
    } else {
      value.live.end = std::clamp(value.live.end - by, value.live.start, a_.schedule_end);
    }
    return value.live != before;
  }
  // Swaps two instructions. Live ranges stay as printed, or are erased so that they are derived.
  bool SwapSchedule(bool erase_lives) {
    if (a_.sequence.size() < 2) return false;
    const size_t i = Below(a_.sequence.size() - 1);
    const size_t j = std::min(a_.sequence.size() - 1, i + 1 + Below(Below(2) == 0 ? 3 : 30));
    std::swap(a_.sequence[i], a_.sequence[j]);
    if (!erase_lives) return true;
    for (AssignedValue& value : a_.values) value.live = {};
    return true;
  }
  bool EraseLivesAndMove() {
    for (AssignedValue& value : a_.values) value.live = {};
    return Below(2) == 0 ? MoveInside(true) : MoveOnto(true);
  }
  bool DropPlacement() {
    a_.values[AnyValue()].allocation = {};
    ListPlaced();
    return true;
  }
  // Makes the module no longer donate one of its parameters.
  bool DropAlias() {
    const halo::Module& from = *base_.loaded.module;
    auto entries =
        halo::DecodeAliases(from.IntsOf(from.attrs, halo::AttrKey::k_input_output_alias));
    if (entries.empty()) return false;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(Below(entries.size())));
    module_ = std::make_unique<halo::Module>(from);
    std::vector<halo::Attr> attrs;
    for (halo::Attr attr : from.attrs_of(from.attrs)) {
      if (attr.key == halo::AttrKey::k_input_output_alias) {
        attr.value = module_->Ints(halo::EncodeAliases(entries)).value;
      }
      attrs.push_back(attr);
    }
    module_->attrs = module_->Attrs(attrs);
    return true;
  }
  bool FlipFlag() {
    halo::Allocation& allocation = a_.allocations[Below(a_.allocations.size())];
    switch (Below(4)) {
      case 0: allocation.maybe_live_out = !allocation.maybe_live_out; break;
      case 1: allocation.is_thread_local = !allocation.is_thread_local; break;
      case 2: allocation.color += 1; break;
      default: a_.total_bytes += Between(1, 2);
    }
    return true;
  }

 private:
  // Makes Allocation::first and count match the values.
  void ListPlaced() {
    a_.placed.clear();
    for (uint32_t i = 0; i < a_.allocations.size(); ++i) {
      a_.allocations[i].first = static_cast<uint32_t>(a_.placed.size());
      for (uint32_t v = 0; v < a_.values.size(); ++v) {
        if (a_.values[v].allocation == AllocationId(i)) a_.placed.push_back(ValueId(v));
      }
      a_.allocations[i].count = static_cast<uint32_t>(a_.placed.size()) - a_.allocations[i].first;
    }
  }

  const Base& base_;
  std::mt19937_64& random_;
  Assignment a_;
  std::unique_ptr<halo::Module> module_;
};

struct Kind {
  std::string_view name;
  bool (*damage)(Mutator&);
};

constexpr std::array kKinds = {
    Kind{"shifted offset", [](Mutator& m) { return m.ShiftOffset(false); }},
    Kind{"shifted aliases", [](Mutator& m) { return m.ShiftOffset(true); }},
    Kind{"moved inside", [](Mutator& m) { return m.MoveInside(false); }},
    Kind{"moved aliases inside", [](Mutator& m) { return m.MoveInside(true); }},
    Kind{"swapped offsets", [](Mutator& m) { return m.SwapOffsets(false); }},
    Kind{"swapped aliases' offsets", [](Mutator& m) { return m.SwapOffsets(true); }},
    Kind{"moved elsewhere", [](Mutator& m) { return m.MoveOnto(false); }},
    Kind{"moved aliases elsewhere", [](Mutator& m) { return m.MoveOnto(true); }},
    Kind{"own allocation", [](Mutator& m) { return m.MoveToNew(false); }},
    Kind{"own allocation for aliases", [](Mutator& m) { return m.MoveToNew(true); }},
    Kind{"shrunk allocation", [](Mutator& m) { return m.ResizeAllocation(true); }},
    Kind{"grown allocation", [](Mutator& m) { return m.ResizeAllocation(false); }},
    Kind{"changed size", [](Mutator& m) { return m.ChangeSize(); }},
    Kind{"shortened life", [](Mutator& m) { return m.ChangeRange(true); }},
    Kind{"prolonged life", [](Mutator& m) { return m.ChangeRange(false); }},
    Kind{"swapped schedule, old lives", [](Mutator& m) { return m.SwapSchedule(false); }},
    Kind{"swapped schedule, no lives", [](Mutator& m) { return m.SwapSchedule(true); }},
    Kind{"no lives, moved", [](Mutator& m) { return m.EraseLivesAndMove(); }},
    Kind{"dropped place", [](Mutator& m) { return m.DropPlacement(); }},
    Kind{"dropped alias", [](Mutator& m) { return m.DropAlias(); }},
    Kind{"flipped flag", [](Mutator& m) { return m.FlipFlag(); }},
};

struct Tally {
  size_t harmful = 0, harmless = 0, missed = 0, false_alarms = 0;
};

std::vector<Base> LoadBases(const char* list) {
  std::vector<Base> bases;
  for (const halo_bench::ListLine& line : halo_bench::ReadList(list)) {
    // On TPUs, sizes and some sharing cannot be derived from the text.
    if (line.module == "-" || line.rules == halo::CheckRules::kTpu) continue;
    auto loaded = halo_bench::Load(line);
    if (!loaded || loaded->assignment.sequence.size() > kMaxTimes) continue;
    Base base{std::move(*loaded), nullptr, {}};
    const Assignment& a = base.loaded.assignment;
    for (uint32_t i = 0; i < a.values.size(); ++i) {
      if (a.values[i].allocation.valid()) base.placed.push_back(i);
    }
    if (base.placed.size() > kMaxValues || base.placed.empty()) continue;
    base.oracle =
        std::make_unique<halo_bench::PlainOracle>(*base.loaded.module, base.loaded.rules, a);
    const auto reasons = base.oracle->Check(a);
    if (!reasons.empty()) {
      std::printf("%s: the reference rejects the original: %s\n", base.loaded.name.c_str(),
                  reasons.begin()->c_str());
      continue;
    }
    bases.push_back(std::move(base));
  }
  return bases;
}

std::string Joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: checker_mutations LIST COUNT [SEED]\n");
    return 2;
  }
  const size_t count = std::strtoull(argv[2], nullptr, 10);
  std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 4);
  const std::vector<Base> bases = LoadBases(argv[1]);
  if (bases.empty()) return 2;
  std::array<Tally, kKinds.size()> tallies;
  Tally alone;  // the checker without the module
  for (size_t n = 0; n < count;) {
    const size_t kind = n % kKinds.size();
    const Base& base = bases[std::uniform_int_distribution<size_t>(0, bases.size() - 1)(random)];
    Mutator mutator(base, random);
    if (!kKinds[kind].damage(mutator)) continue;
    ++n;
    const halo::Module* module =
        mutator.module() != nullptr ? mutator.module() : base.loaded.module.get();
    const halo::AssignmentFindings found =
        halo::CheckAssignment(mutator.assignment(), module, {.rules = base.loaded.rules});
    const auto reasons =
        mutator.module() == nullptr
            ? base.oracle->Check(mutator.assignment())
            : halo_bench::PlainOracle(*module, base.loaded.rules, mutator.assignment())
                  .Check(mutator.assignment());
    if (mutator.module() == nullptr) {
      const bool accepted =
          halo::CheckAssignment(mutator.assignment(), nullptr, {.rules = base.loaded.rules}).ok();
      ++(reasons.empty() ? alone.harmless : alone.harmful);
      alone.missed += accepted && !reasons.empty() ? 1 : 0;
      alone.false_alarms += !accepted && reasons.empty() ? 1 : 0;
    }
    Tally& tally = tallies[kind];
    ++(reasons.empty() ? tally.harmless : tally.harmful);
    if (found.ok() == reasons.empty()) continue;
    ++(found.ok() ? tally.missed : tally.false_alarms);
    std::printf("disagree on %s of %s:\n  reference: %s\n", std::string(kKinds[kind].name).c_str(),
                base.loaded.name.c_str(), Joined(reasons).c_str());
    for (const halo::Finding& finding : found.findings) {
      std::printf("  checker: %s\n", finding.explanation.c_str());
    }
  }
  Tally all;
  for (size_t kind = 0; kind < kKinds.size(); ++kind) {
    const Tally& tally = tallies[kind];
    std::printf("%-30s harmful %5zu harmless %5zu missed %zu false alarms %zu\n",
                std::string(kKinds[kind].name).c_str(), tally.harmful, tally.harmless, tally.missed,
                tally.false_alarms);
    all.harmful += tally.harmful;
    all.harmless += tally.harmless;
    all.missed += tally.missed;
    all.false_alarms += tally.false_alarms;
  }
  std::printf(
      "{\"assignments\": %zu, \"kinds\": %zu, \"harmful\": %zu, \"harmless\": %zu, "
      "\"missed\": %zu, \"false_alarms\": %zu, \"alone\": {\"harmful\": %zu, \"missed\": %zu, "
      "\"harmless\": %zu, \"false_alarms\": %zu}}\n",
      bases.size(), kKinds.size(), all.harmful, all.harmless, all.missed, all.false_alarms,
      alone.harmful, alone.missed, alone.harmless, alone.false_alarms);
  return 0;
}
