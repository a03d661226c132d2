// Heuristics: the present order, a post-order, a depth-first order that starts with the largest
// operands, and a list schedule that always takes the instruction that frees most. Each is replayed
// to find its peak. Tuples, bitcasts and loops forward memory that other instructions own.
#include "halo/memory/assign/schedule.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/users.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// What an instruction defines: one item, or one per element of its tuple.
using Item = uint32_t;

// Writes to its first operand's memory and forwards it.
bool WritesInPlace(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kDynamicUpdateSlice ||
         opcode == Opcode::kScatter;
}

class Scheduler {
 public:
  Scheduler(const Module& module, const BackendRules& rules, const Users& users)
      : module_(module), rules_(rules), users_(users), peaks_(module.comps.size(), 0) {}

  static constexpr size_t kHeuristics = 4;

  // For a computation whose callees are already scheduled: the best order, then each heuristic's.
  std::vector<std::vector<InstId>> Schedules(CompId comp) {
    Prepare(comp);
    std::vector<std::vector<uint32_t>> candidates = {InTextOrder(), DepthFirst(false),
                                                     DepthFirst(true), ListSchedule()};
    std::vector<uint32_t> best;
    int64_t best_peak = 0;
    for (const std::vector<uint32_t>& order : candidates) {
      if (order.size() != count_) continue;
      const int64_t peak = Peak(order);
      if (!best.empty() && peak >= best_peak) continue;
      best = order;
      best_peak = peak;
    }
    peaks_[comp.index()] = best_peak;
    std::vector<std::vector<InstId>> out(1 + kHeuristics);
    for (size_t k = 0; k < out.size(); ++k) {
      // A heuristic without an order falls back to the best one; a cycle keeps the text's order.
      const std::vector<uint32_t>& order =
          k > 0 && candidates[k - 1].size() == count_ ? candidates[k - 1] : best;
      for (uint32_t i = 0; i < count_; ++i) {
        out[k].emplace_back(first_ + (order.empty() ? i : order[i]));
      }
    }
    return out;
  }

 private:
  static constexpr size_t kMaxItems = 4096;  // in one tuple; larger tuples are not followed

  [[nodiscard]] const Inst& At(uint32_t i) const { return module_.insts[first_ + i]; }

  template <class Visit>
  void ForEachNeed(uint32_t i, const Visit& visit) const {
    const auto mine = [&](uint32_t id) { return id >= first_ && id < first_ + count_; };
    for (const InstId operand : module_.operands_of(At(i))) {
      if (operand.valid() && mine(operand.value)) visit(operand.value - first_);
    }
    for (const int64_t pred : module_.IntsOf(At(i).attrs, AttrKey::k_control_predecessors)) {
      if (mine(static_cast<uint32_t>(pred))) visit(static_cast<uint32_t>(pred) - first_);
    }
  }

  void AddItem(uint32_t i, int64_t bytes) {
    items_[i].push_back(static_cast<Item>(bytes_.size()));
    bytes_.push_back(bytes);
  }

  // Finds which items each instruction holds, defines and reads.
  void Prepare(CompId comp) {
    const Computation& computation = module_.comp(comp);
    first_ = computation.first;
    count_ = computation.count;
    root_ = computation.root;
    bytes_.clear();
    items_.assign(count_, {});
    reads_.assign(count_, {});
    for (const uint32_t i : DepthFirst(false)) {
      const Inst& inst = At(i);
      if (PassesValuesOn(inst.opcode) || WritesInPlace(inst.opcode)) {
        PassItems(i);
      } else if (module_.shapes.is_tuple(inst.shape)) {
        for (const ShapeId element : module_.shapes.elements(inst.shape)) {
          if (items_[i].size() < kMaxItems) AddItem(i, OwnBytes(inst, element));
        }
      } else {
        AddItem(i, OwnBytes(inst, inst.shape));
      }
      if (PassesValuesOn(inst.opcode)) continue;
      for (const InstId operand : module_.operands_of(inst)) AddReads(operand, reads_[i]);
      std::sort(reads_[i].begin(), reads_[i].end());
      reads_[i].erase(std::unique(reads_[i].begin(), reads_[i].end()), reads_[i].end());
    }
  }

  [[nodiscard]] int64_t OwnBytes(const Inst& inst, ShapeId shape) const {
    if (inst.opcode == Opcode::kParameter || inst.opcode == Opcode::kConstant) return 0;
    return BufferBytes(module_, shape, rules_);
  }

  void AddReads(InstId operand, std::vector<Item>& out) const {
    if (!operand.valid() || operand.value < first_ || operand.value >= first_ + count_) return;
    const std::vector<Item>& items = items_[operand.value - first_];
    out.insert(out.end(), items.begin(), items.end());
  }

  void PassItems(uint32_t i) {
    const Inst& inst = At(i);
    const std::span<const InstId> operands = module_.operands_of(inst);
    std::vector<Item>& mine = items_[i];
    if (inst.opcode == Opcode::kGetTupleElement) {
      std::vector<Item> all;
      if (!operands.empty()) AddReads(operands[0], all);
      const auto index = static_cast<size_t>(module_.IntOr(inst.attrs, AttrKey::k_index, 0));
      size_t elements = 0;
      if (!operands.empty() && operands[0].valid()) {
        const ShapeId whole = module_.inst(operands[0]).shape;
        if (module_.shapes.is_tuple(whole)) elements = module_.shapes.elements(whole).size();
      }
      // The element is known only if each element is exactly one item.
      if (all.size() == elements && index < elements) {
        mine = {all[index]};
      } else {
        mine = std::move(all);
      }
      return;
    }
    for (const InstId operand : operands) {
      AddReads(operand, mine);
      if (inst.opcode != Opcode::kTuple) break;
    }
    if (mine.size() > kMaxItems) mine.resize(kMaxItems);
  }

  [[nodiscard]] std::vector<uint32_t> InTextOrder() const {
    std::vector<uint32_t> order(count_);
    for (uint32_t i = 0; i < count_; ++i) {
      order[i] = i;
      bool runs_too_early = false;
      ForEachNeed(i, [&](uint32_t need) { runs_too_early = runs_too_early || need >= i; });
      if (runs_too_early) return {};
    }
    return order;
  }

  [[nodiscard]] std::vector<uint32_t> DepthFirst(bool large_first) const {
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(count_, kNew);
    std::vector<uint32_t> order, stack, needs;
    const auto walk = [&](uint32_t from) {
      if (state[from] == kNew) stack.push_back(from);
      while (!stack.empty()) {
        const uint32_t at = stack.back();
        if (state[at] != kNew) {
          stack.pop_back();
          if (state[at] == kOpen) order.push_back(at);
          state[at] = kDone;
          continue;
        }
        state[at] = kOpen;
        needs.clear();
        ForEachNeed(at, [&](uint32_t need) {
          if (state[need] == kNew) needs.push_back(need);
        });
        if (large_first) {
          std::sort(needs.begin(), needs.end(), [&](uint32_t a, uint32_t b) {
            return std::tuple(-MadeBytes(a), a) < std::tuple(-MadeBytes(b), b);
          });
        }
        for (size_t i = needs.size(); i-- > 0;) stack.push_back(needs[i]);
      }
    };
    for (uint32_t i = 0; i < count_; ++i) {
      if (users_.of(InstId(first_ + i)).empty()) walk(i);
    }
    for (uint32_t i = 0; i < count_; ++i) walk(i);
    // No order satisfies dependencies that form a cycle.
    std::vector<uint32_t> position(count_, 0);
    for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (uint32_t i = 0; i < count_; ++i) {
      bool runs_too_early = false;
      ForEachNeed(i, [&](uint32_t need) {
        runs_too_early = runs_too_early || position[need] >= position[i];
      });
      if (runs_too_early) return {};
    }
    return order;
  }

  [[nodiscard]] int64_t MadeBytes(uint32_t i) const {
    if (PassesValuesOn(At(i).opcode) || WritesInPlace(At(i).opcode)) return 0;
    int64_t sum = 0;
    for (const Item item : items_[i]) sum += bytes_[item];
    return sum;
  }

  [[nodiscard]] std::vector<uint32_t> CountReads() const {
    std::vector<uint32_t> left(bytes_.size(), 0);
    for (const std::vector<Item>& reads : reads_) {
      for (const Item item : reads) ++left[item];
    }
    // Returned items are never freed.
    if (root_.valid() && root_.value >= first_ && root_.value < first_ + count_) {
      for (const Item item : items_[root_.value - first_]) ++left[item];
    }
    return left;
  }

  [[nodiscard]] std::vector<uint32_t> ListSchedule() const {
    std::vector<uint32_t> left = CountReads();
    std::vector<uint64_t> readers(bytes_.size(), 0);  // sum of readers left, to find the last
    std::vector<uint32_t> missing(count_, 0);
    std::vector<std::vector<uint32_t>> enables(count_);
    for (uint32_t i = 0; i < count_; ++i) {
      for (const Item item : reads_[i]) readers[item] += i;
      ForEachNeed(i, [&](uint32_t need) {
        enables[need].push_back(i);
        ++missing[i];
      });
    }
    std::vector<int64_t> gain(count_, 0);
    using Entry = std::tuple<int64_t, int64_t>;  // gain; on a tie, the earlier in the text
    std::priority_queue<Entry> ready;
    for (uint32_t i = 0; i < count_; ++i) {
      gain[i] = -MadeBytes(i);
      for (const Item item : reads_[i]) gain[i] += left[item] == 1 ? bytes_[item] : 0;
      if (missing[i] == 0) ready.emplace(gain[i], -static_cast<int64_t>(i));
    }
    std::vector<bool> done(count_, false);
    std::vector<uint32_t> order;
    order.reserve(count_);
    while (!ready.empty()) {
      const auto [at_gain, negated] = ready.top();
      ready.pop();
      const auto i = static_cast<uint32_t>(-negated);
      if (done[i] || at_gain != gain[i]) continue;
      done[i] = true;
      order.push_back(i);
      for (const Item item : reads_[i]) {
        readers[item] -= i;
        if (--left[item] != 1) continue;
        const auto last = static_cast<uint32_t>(readers[item]);
        // Held by the root: no reader frees it.
        if (last >= count_ || done[last] ||
            !std::binary_search(reads_[last].begin(), reads_[last].end(), item)) {
          continue;
        }
        gain[last] += bytes_[item];
        if (missing[last] == 0) ready.emplace(gain[last], -static_cast<int64_t>(last));
      }
      for (const uint32_t next : enables[i]) {
        if (--missing[next] == 0) ready.emplace(gain[next], -static_cast<int64_t>(next));
      }
    }
    return order;
  }

  [[nodiscard]] int64_t Peak(const std::vector<uint32_t>& order) {
    std::vector<uint32_t> left = CountReads();
    int64_t live = 0, peak = 0;
    for (const uint32_t i : order) {
      live += MadeBytes(i);
      int64_t inside = 0;
      called_.clear();
      module_.CalledBy(At(i), called_);
      for (const CompId callee : called_) inside = std::max(inside, peaks_[callee.index()]);
      peak = std::max(peak, live + inside);
      for (const Item item : reads_[i]) {
        if (--left[item] == 0) live -= bytes_[item];
      }
      if (PassesValuesOn(At(i).opcode)) continue;
      for (const Item item : items_[i]) {
        if (left[item] == 0 && !WritesInPlace(At(i).opcode)) live -= bytes_[item];
      }
    }
    return peak;
  }

  const Module& module_;
  const BackendRules& rules_;
  const Users& users_;
  std::vector<int64_t> peaks_;  // by computation
  uint32_t first_ = 0, count_ = 0;
  InstId root_;
  std::vector<int64_t> bytes_;            // by item
  std::vector<std::vector<Item>> items_;  // what an instruction's result holds
  std::vector<std::vector<Item>> reads_;  // what it reads
  std::vector<CompId> called_;
};

}  // namespace

std::vector<std::vector<InstId>> SchedulesForMemory(const Module& module,
                                                    const BackendRules& rules) {
  const CallGraph calls(module);
  std::vector<InstId> as_read;
  as_read.reserve(module.insts.size());
  for (uint32_t i = 0; i < module.insts.size(); ++i) as_read.emplace_back(i);
  if (calls.cyclic().valid()) return {as_read};
  const Users users(module);
  std::vector<std::vector<InstId>> orders(1 + Scheduler::kHeuristics, as_read);
  Scheduler scheduler(module, rules, users);
  for (const CompId comp : calls.post_order()) {
    if (calls.context(comp) == CallGraph::Context::kEmbedded) continue;
    const std::vector<std::vector<InstId>> found = scheduler.Schedules(comp);
    for (size_t k = 0; k < orders.size(); ++k) {
      std::copy(found[k].begin(), found[k].end(), orders[k].begin() + module.comp(comp).first);
    }
  }
  return orders;
}

}  // namespace halo
