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
#include "halo/semantics/facts/tuple_leaves.h"

namespace halo {
namespace {

// What an instruction defines: one item per leaf of its shape.
using Item = uint32_t;

// Writes to its first operand's memory and forwards it.
bool WritesInPlace(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kDynamicUpdateSlice ||
         opcode == Opcode::kScatter;
}

class Scheduler {
 public:
  Scheduler(const Module& module, const BackendRules& rules, const Users& users)
      : module_(module),
        rules_(rules),
        users_(users),
        leaves_(module.shapes),
        peaks_(module.comps.size(), 0) {}

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
  // Many instructions may read the same wide tuple: after so many items read from tuples of more
  // than kWide, such reads no longer count.
  static constexpr size_t kWide = 64;
  static constexpr size_t kMaxReads = size_t{1} << 24;

  [[nodiscard]] bool IsMine(InstId id) const {
    return id.valid() && id.value >= first_ && id.value < first_ + count_;
  }
  [[nodiscard]] const Inst& At(uint32_t i) const { return module_.insts[first_ + i]; }

  template <class Visit>
  void ForEachNeed(uint32_t i, const Visit& visit) const {
    for (const InstId operand : module_.operands_of(At(i))) {
      if (IsMine(operand)) visit(operand.value - first_);
    }
    for (const int64_t pred : module_.IntsOf(At(i).attrs, AttrKey::k_control_predecessors)) {
      const InstId id(static_cast<uint32_t>(pred));
      if (IsMine(id)) visit(id.value - first_);
    }
  }

  void AddItems(uint32_t i, ShapeId shape, int depth) {
    if (!module_.shapes.is_tuple(shape)) {
      items_[i].push_back(static_cast<Item>(bytes_.size()));
      bytes_.push_back(OwnBytes(At(i), shape));
      return;
    }
    if (depth > TupleLeaves::kMaxDepth) return;
    for (const ShapeId element : module_.shapes.elements(shape)) AddItems(i, element, depth + 1);
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
    read_ = 0;
    for (const uint32_t i : DepthFirst(false)) {
      const Inst& inst = At(i);
      if (PassesValuesOn(inst.opcode) || WritesInPlace(inst.opcode)) PassItems(i);
      // What does not have the leaves of its operands, as in a module with errors, owns all of its
      // own.
      if (items_[i].size() != leaves_.CountOf(inst.shape)) {
        items_[i].clear();
        AddItems(i, inst.shape, 0);
      }
      if (!PassesValuesOn(inst.opcode)) AddReads(i);
    }
  }

  [[nodiscard]] int64_t OwnBytes(const Inst& inst, ShapeId shape) const {
    if (inst.opcode == Opcode::kParameter || inst.opcode == Opcode::kConstant) return 0;
    return BufferBytes(module_, shape, rules_);
  }

  void AddItemsOf(InstId operand, std::vector<Item>& out) const {
    if (!IsMine(operand)) return;
    const std::vector<Item>& items = items_[operand.value - first_];
    out.insert(out.end(), items.begin(), items.end());
  }

  void AddReads(uint32_t i) {
    std::vector<Item>& reads = reads_[i];
    for (const InstId operand : module_.operands_of(At(i))) {
      const bool is_wide = IsMine(operand) && items_[operand.value - first_].size() > kWide;
      if (!is_wide || read_ < kMaxReads) AddItemsOf(operand, reads);
      if (is_wide) read_ += items_[operand.value - first_].size();
    }
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  }

  void PassItems(uint32_t i) {
    const Inst& inst = At(i);
    const std::span<const InstId> operands = module_.operands_of(inst);
    std::vector<Item>& mine = items_[i];
    if (inst.opcode == Opcode::kGetTupleElement) {
      if (operands.empty() || !IsMine(operands[0])) return;
      const std::vector<Item>& all = items_[operands[0].value - first_];
      const auto index = static_cast<size_t>(module_.IntOr(inst.attrs, AttrKey::k_index, 0));
      const size_t begin = leaves_.Before(module_.inst(operands[0]).shape, index);
      const size_t count = leaves_.CountOf(inst.shape);
      if (begin + count <= all.size()) {
        mine.assign(all.begin() + begin, all.begin() + begin + count);
      }
      return;
    }
    for (const InstId operand : operands) {
      AddItemsOf(operand, mine);
      if (inst.opcode != Opcode::kTuple || mine.size() > leaves_.CountOf(inst.shape)) break;
    }
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
    if (IsMine(root_)) {
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
  TupleLeaves leaves_;
  std::vector<int64_t> peaks_;  // by computation
  uint32_t first_ = 0, count_ = 0;
  InstId root_;
  std::vector<int64_t> bytes_;            // by item
  std::vector<std::vector<Item>> items_;  // what an instruction's result holds
  std::vector<std::vector<Item>> reads_;  // what it reads
  size_t read_ = 0;                       // items read from wide tuples
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
