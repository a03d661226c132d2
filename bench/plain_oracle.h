// A brute-force reference that checks an assignment against a module. It paints every value into a
// map of bytes at every relevant time and looks for two values in one cell, and checks every other
// rule exhaustively. The verdict is a list of reasons; an empty list means that the assignment is
// sound.
#ifndef HALO_BENCH_PLAIN_ORACLE_H_
#define HALO_BENCH_PLAIN_ORACLE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/plain_memory.h"
#include "halo/memory/model/assignment.h"

namespace halo_bench {

class PlainOracle {
 public:
  PlainOracle(const Module& module, halo::CheckRules rules, const halo::Assignment& base)
      : module_(module), plain_(module, rules) {
    for (const halo::AssignedValue& value : base.values) {
      const auto steps = base.index(value.index);
      positions_.push_back(
          plain_.Find(std::string(base.text(value.instruction)), Path(steps.begin(), steps.end())));
      labels_.push_back(plain_.Label(positions_.back()));
    }
  }

  [[nodiscard]] const std::vector<int>& labels() const { return labels_; }

  [[nodiscard]] std::set<std::string> Check(const halo::Assignment& a) const {
    std::set<std::string> reasons;
    std::map<std::string, int64_t> time;
    for (size_t t = 0; t < a.sequence.size(); ++t) {
      time.try_emplace(std::string(a.text(a.sequence[t])), static_cast<int64_t>(t));
    }
    const int64_t end = std::max<int64_t>(a.schedule_end, static_cast<int64_t>(a.sequence.size()));
    size_t early = 0;
    const auto needs = plain_.Needs(time, end, early);
    if (early > 0) reasons.insert("read before written");
    CheckPositions(a, reasons);
    CheckGroups(a, needs, reasons);
    CheckUnplaced(a, time, reasons);
    std::vector<Life> lives = Lives(a, needs, end);
    for (uint32_t i = 0; i < a.allocations.size(); ++i) {
      if (HasClash(lives, halo::AllocationId(i))) reasons.insert("overlap");
    }
    return reasons;
  }

 private:
  using Needs = std::multimap<int, PlainMemory::Need>;

  struct Life {
    halo::AllocationId allocation;
    int64_t first_byte, last_byte;  // last_byte is exclusive
    int64_t start, end;             // both inclusive
    int label;
    Position writer;
  };

  void CheckPositions(const halo::Assignment& a, std::set<std::string>& reasons) const {
    int64_t total = 0;
    for (const halo::Allocation& allocation : a.allocations) total += allocation.size;
    if (total != a.total_bytes) reasons.insert("total");
    const std::set<int> returned = plain_.Returned();
    std::map<std::pair<std::string, Path>, int> seen;
    for (size_t i = 0; i < a.values.size(); ++i) {
      const halo::AssignedValue& value = a.values[i];
      if (!value.allocation.valid()) continue;
      const halo::Allocation& allocation = a.allocation(value.allocation);
      if (value.offset < 0 || value.offset + value.size > allocation.size) {
        reasons.insert("outside");
      }
      if (value.color != allocation.color) reasons.insert("color");
      if (labels_[i] < 0) continue;
      if (!allocation.is_constant &&
          allocation.is_thread_local != plain_.IsParallel(positions_[i].first)) {
        reasons.insert("thread");
      }
      if (value.size > 0 && returned.contains(labels_[i]) && !allocation.maybe_live_out) {
        reasons.insert("live-out");
      }
      CheckSize(value, plain_.ShapeAt(positions_[i]), reasons);
    }
    CheckReadOnly(a, reasons);
  }

  void CheckSize(const halo::AssignedValue& value, halo::ShapeId shape,
                 std::set<std::string>& reasons) const {
    const halo::ShapeTable& shapes = module_.shapes;
    int64_t bytes = -1;
    if (shapes.is_tuple(shape)) bytes = 8 * static_cast<int64_t>(shapes.elements(shape).size());
    if (shapes.is_array(shape)) {
      bytes = shapes.ByteSize(shape).value_or(-1);
      if (shapes.has_dynamic(shape)) bytes += 4 * static_cast<int64_t>(shapes.dims(shape).size());
    }
    if (bytes >= 0 && bytes != value.size) reasons.insert("size");
  }

  // Constants, and parameters that are not donated, share their allocation only with their aliases.
  void CheckReadOnly(const halo::Assignment& a, std::set<std::string>& reasons) const {
    for (const halo::Allocation& allocation : a.allocations) {
      const auto steps = a.index(allocation.parameter_index);
      const bool kept = allocation.parameter >= 0 &&
                        !plain_.IsGiven(allocation.parameter, Path(steps.begin(), steps.end()));
      if (!kept && !allocation.is_constant) continue;
      std::set<int> inside;
      for (const halo::ValueId id : a.values_of(allocation)) inside.insert(labels_[id.index()]);
      if (inside.size() > 1) reasons.insert("read-only");
    }
  }

  void CheckGroups(const halo::Assignment& a, const Needs& needs,
                   std::set<std::string>& reasons) const {
    std::map<int, std::set<std::pair<uint32_t, int64_t>>> positions;
    std::map<int, std::vector<halo::LiveRange>> printed;
    std::set<int> planned;
    for (size_t i = 0; i < a.values.size(); ++i) {
      const halo::AssignedValue& value = a.values[i];
      if (!value.allocation.valid() || value.size == 0 || labels_[i] < 0) continue;
      positions[labels_[i]].insert({value.allocation.value, value.offset});
      if (a.allocation(value.allocation).is_thread_local) continue;
      if (value.live.known()) printed[labels_[i]].push_back(value.live);
    }
    for (const auto& [label, at] : positions) {
      if (at.size() > 1) reasons.insert("aliases apart");
    }
    for (const auto& [label, need] : needs) {
      const auto ranges = printed.find(label);
      if (ranges == printed.end()) continue;
      for (int64_t t = need.first; t <= need.second; ++t) {
        bool covered = false;
        for (const halo::LiveRange& range : ranges->second) {
          covered |= range.start <= t && t <= range.end;
        }
        if (!covered) reasons.insert("live range");
      }
    }
  }

  void CheckUnplaced(const halo::Assignment& a, const std::map<std::string, int64_t>& time,
                     std::set<std::string>& reasons) const {
    std::set<int> placed;
    bool constants = false;
    for (size_t i = 0; i < a.values.size(); ++i) {
      if (!a.values[i].allocation.valid() || labels_[i] < 0) continue;
      placed.insert(labels_[i]);
      constants |= module_.insts[positions_[i].first].opcode == Opcode::kConstant;
    }
    for (const auto& [position, label] : plain_.labels()) {
      const Inst& inst = module_.insts[position.first];
      const halo::ShapeId shape = plain_.ShapeAt(position);
      if (!plain_.IsPlanned(position.first) || !plain_.Writes(position) ||
          !module_.shapes.is_array(shape) || module_.shapes.ByteSize(shape).value_or(0) == 0 ||
          (inst.opcode == Opcode::kConstant && !constants) ||
          !time.contains(std::string(module_.name_of(inst)))) {
        continue;
      }
      if (!placed.contains(label)) reasons.insert("no place");
    }
  }

  [[nodiscard]] std::vector<Life> Lives(const halo::Assignment& a, const Needs& needs,
                                        int64_t end) const {
    std::vector<Life> lives;
    std::set<int> with_ranges;
    for (size_t i = 0; i < a.values.size(); ++i) {
      if (a.values[i].allocation.valid() && a.values[i].live.known())
        with_ranges.insert(labels_[i]);
    }
    for (size_t i = 0; i < a.values.size(); ++i) {
      const halo::AssignedValue& value = a.values[i];
      if (!value.allocation.valid() || value.size <= 0 || value.offset < 0) continue;
      const halo::Allocation& allocation = a.allocation(value.allocation);
      const auto add = [&](int64_t from, int64_t to, const Position& writer) {
        lives.push_back({value.allocation, value.offset, value.offset + value.size, from, to,
                         labels_[i], writer});
      };
      if (value.live.known()) {
        if (value.live.start <= value.live.end)
          add(value.live.start, value.live.end, positions_[i]);
      } else if (allocation.is_thread_local || allocation.is_constant) {
        add(0, end, positions_[i]);
      } else if (!with_ranges.contains(labels_[i])) {
        const auto [first, last] = needs.equal_range(labels_[i]);
        for (auto need = first; need != last; ++need) {
          add(need->second.first, need->second.second, need->second.writer);
        }
      }
    }
    return lives;
  }

  // Builds the map: one cell between each pair of adjacent boundaries, at every time at which
  // something begins.
  [[nodiscard]] bool HasClash(const std::vector<Life>& all, halo::AllocationId allocation) const {
    std::vector<Life> lives;
    std::set<int64_t> bounds;
    std::set<int64_t> moments;
    for (const Life& life : all) {
      if (life.allocation != allocation) continue;
      lives.push_back(life);
      bounds.insert(life.first_byte);
      bounds.insert(life.last_byte);
      moments.insert(life.start);
    }
    for (const int64_t t : moments) {
      std::map<int64_t, std::vector<const Life*>> cells;
      for (const Life& life : lives) {
        if (t < life.start || life.end < t) continue;
        for (auto b = bounds.find(life.first_byte); *b < life.last_byte; ++b) {
          cells[*b].push_back(&life);
        }
      }
      for (const auto& [cell, inside] : cells) {
        for (const Life* x : inside) {
          for (const Life* y : inside) {
            if (x->label != y->label && !MayMeet(*x, *y, t)) return true;
          }
        }
      }
    }
    return false;
  }

  [[nodiscard]] bool MayMeet(const Life& x, const Life& y, int64_t t) const {
    const auto replaces = [&](const Life& dying, const Life& born) {
      if (dying.end != t || born.start != t || dying.start == t) return false;
      return dying.first_byte == born.first_byte && plain_.MayReplace(dying.label, born.writer);
    };
    return replaces(x, y) || replaces(y, x);
  }

  const Module& module_;
  PlainMemory plain_;
  std::vector<Position> positions_;  // by value
  std::vector<int> labels_;
};

}  // namespace halo_bench

#endif  // HALO_BENCH_PLAIN_ORACLE_H_
