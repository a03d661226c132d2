// Positions refer to the order as changed so far. Each move examines only the instructions between
// writer and reader.
#include "halo/passes/memory/move_readers.h"

#include <algorithm>

#include "halo/passes/rewrite/effects.h"

namespace halo {
namespace {

// Moving many instructions to save one copy would undo the benefits of the schedule.
constexpr size_t kMaxMoved = 32;
constexpr uint32_t kMaxWindow = 20'000;

class Mover {
 public:
  explicit Mover(const Module& module)
      : module_(module), with_effects_(ComputationsWithEffects(module)) {
    const auto count = static_cast<uint32_t>(module_.insts.size());
    for (uint32_t i = 0; i < count; ++i) {
      order_.emplace_back(i);
      position_.push_back(i);
    }
    marked_.assign(count, false);
  }

  // Returns true if `reader` now runs before `writer`.
  bool Put(InstId reader, InstId writer, int64_t& moves) {
    const uint32_t first = position_[writer.index()], last = position_[reader.index()];
    if (last <= first) return true;
    if (last - first > kMaxWindow) return false;
    const std::vector<InstId> needed = Needed(reader, first);
    if (std::find(needed.begin(), needed.end(), writer) != needed.end()) return false;
    const std::vector<InstId> needing = Needing(writer, last);
    const bool up = needed.size() <= needing.size();
    const std::vector<InstId>& moving = up ? needed : needing;
    if (moving.size() > kMaxMoved) return false;
    for (const InstId each : moving) {
      if (HasEffect(module_, module_.inst(each), with_effects_)) return false;
    }
    Rotate(first, last, moving, up);
    moves += static_cast<int64_t>(moving.size());
    return true;
  }

  [[nodiscard]] std::vector<InstId> TakeOrder() { return std::move(order_); }

 private:
  template <class Visit>
  void ForEachNeed(InstId id, const Visit& visit) const {
    const Inst& inst = module_.inst(id);
    for (const InstId operand : module_.operands_of(inst)) visit(operand);
    for (const int64_t before : module_.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      visit(InstId(static_cast<uint32_t>(before)));
    }
  }

  // The reader and everything it needs from position `first` on.
  std::vector<InstId> Needed(InstId reader, uint32_t first) {
    std::vector<InstId> found = {reader};
    marked_[reader.index()] = true;
    for (size_t next = 0; next < found.size(); ++next) {
      ForEachNeed(found[next], [&](InstId need) {
        if (position_[need.index()] < first || marked_[need.index()]) return;
        marked_[need.index()] = true;
        found.push_back(need);
      });
    }
    for (const InstId each : found) marked_[each.index()] = false;
    return found;
  }

  // The writer and everything that needs it up to position `last`.
  std::vector<InstId> Needing(InstId writer, uint32_t last) {
    std::vector<InstId> found = {writer};
    marked_[writer.index()] = true;
    for (uint32_t at = position_[writer.index()] + 1; at <= last; ++at) {
      bool needs = false;
      ForEachNeed(order_[at], [&](InstId need) { needs |= marked_[need.index()]; });
      if (!needs) continue;
      marked_[order_[at].index()] = true;
      found.push_back(order_[at]);
    }
    for (const InstId each : found) marked_[each.index()] = false;
    return found;
  }

  void Rotate(uint32_t first, uint32_t last, const std::vector<InstId>& moving, bool up) {
    for (const InstId each : moving) marked_[each.index()] = true;
    std::vector<InstId> others;
    uint32_t next = first;
    for (uint32_t at = first; at <= last; ++at) {
      if (marked_[order_[at].index()] == up) {
        order_[next++] = order_[at];
      } else {
        others.push_back(order_[at]);
      }
    }
    std::copy(others.begin(), others.end(), order_.begin() + next);
    for (const InstId each : moving) marked_[each.index()] = false;
    for (uint32_t at = first; at <= last; ++at) position_[order_[at].index()] = at;
  }

  const Module& module_;
  std::vector<bool> with_effects_;
  std::vector<InstId> order_;
  std::vector<uint32_t> position_;
  std::vector<bool> marked_;
};

}  // namespace

std::vector<InstId> MoveReaders(const Module& module, const std::vector<LostValue>& lost,
                                int64_t& moves) {
  Mover mover(module);
  const int64_t before = moves;
  for (const LostValue& each : lost) {
    if (each.at_once || !each.slot.user.valid() || each.slot.user == each.writer) continue;
    mover.Put(each.slot.user, each.writer, moves);
  }
  return moves == before ? std::vector<InstId>() : mover.TakeOrder();
}

}  // namespace halo
