// Items are ranges of one order, so that a group never depends on itself: an edge between ranges
// always goes forward.
#include "halo/view/graph/scene_level.h"

#include <algorithm>

#include "halo/analysis/graph/post_order.h"
#include "halo/memory/explain/origins.h"
#include "halo/view/graph/repeats.h"
#include "halo/view/graph/scene_scopes.h"

namespace halo::view {
namespace {

// Larger computations keep the order of the text.
constexpr size_t kReordered = 300'000;
constexpr size_t kDeepestScope = 8;
constexpr uint32_t kNear = 32;  // instructions

bool ComesAfterOperands(const Module& module, std::span<const InstId> order) {
  for (const InstId id : order) {
    for (const InstId operand : module.operands_of(module.inst(id))) {
      if (operand.valid() && operand >= id) return false;
    }
  }
  return true;
}

// Looks through instructions that only pass values on.
class Resolver {
 public:
  Resolver(const Module& module, bool all, size_t insts)
      : module_(module), all_(all), steps_(50 * insts + 100'000) {}

  [[nodiscard]] bool PassesOn(const Inst& inst) const {
    if (all_ || IsLeaf(module_, inst) || inst.operand_count == 0) return false;
    return inst.opcode == Opcode::kGetTupleElement || inst.opcode == Opcode::kBitcast ||
           inst.opcode == Opcode::kTuple;
  }

  void Resolve(InstId id, std::vector<InstId>& out) {
    todo_.assign(1, id);
    while (!todo_.empty()) {
      const InstId at = todo_.back();
      todo_.pop_back();
      if (!at.valid()) continue;
      const Inst& inst = module_.inst(at);
      // Bounded, because nested tuples could expand without limit.
      if (!PassesOn(inst) || steps_ == 0) {
        out.push_back(at);
        continue;
      }
      --steps_;
      const std::span<const InstId> operands = module_.operands_of(inst);
      if (inst.opcode == Opcode::kGetTupleElement) {
        todo_.push_back(ElementOf(operands[0], inst));
        continue;
      }
      for (size_t i = operands.size(); i-- > 0;) todo_.push_back(operands[i]);
    }
  }

  Reads ReadsOf(std::span<const InstId> order) {
    Reads reads;
    std::vector<InstId> some;
    for (const InstId id : order) {
      for (const InstId operand : module_.operands_of(module_.inst(id))) {
        some.clear();
        Resolve(operand, some);
        reads.insts.insert(reads.insts.end(), some.begin(), some.end());
      }
      reads.End();
    }
    return reads;
  }

 private:
  [[nodiscard]] InstId ElementOf(InstId tuple, const Inst& element) const {
    if (!tuple.valid() || module_.inst(tuple).opcode != Opcode::kTuple) return tuple;
    const int64_t index = module_.IntOr(element.attrs, AttrKey::k_index, -1);
    const std::span<const InstId> parts = module_.operands_of(module_.inst(tuple));
    const bool known = index >= 0 && static_cast<uint64_t>(index) < parts.size();
    return known ? parts[static_cast<size_t>(index)] : tuple;
  }

  const Module& module_;
  bool all_;
  uint64_t steps_;
  std::vector<InstId> todo_;
};

// The position of each instruction in an order.
class Positions {
 public:
  Positions(const Module& module, std::span<const InstId> order) {
    if (order.empty()) return;
    const Computation& comp = module.comp(module.inst(order[0]).parent);
    first_ = comp.first;
    positions_.assign(comp.count, kNone);
    for (uint32_t i = 0; i < order.size(); ++i) positions_[order[i].value - first_] = i;
  }
  static constexpr uint32_t kNone = UINT32_MAX;
  [[nodiscard]] uint32_t of(InstId inst) const {
    const uint32_t slot = inst.value - first_;
    return slot < positions_.size() ? positions_[slot] : kNone;
  }

 private:
  uint32_t first_ = 0;
  std::vector<uint32_t> positions_;
};

// The number of values carried across the boundary before each position.
std::vector<uint32_t> Carried(const Positions& positions, size_t count, const Reads& reads) {
  std::vector<uint32_t> last(count, 0);
  for (uint32_t i = 0; i < count; ++i) {
    for (const InstId operand : reads.of(i)) {
      const uint32_t position = positions.of(operand);
      if (position != Positions::kNone) last[position] = std::max(last[position], i);
    }
  }
  std::vector<int32_t> change(count + 2, 0);
  for (uint32_t i = 0; i < count; ++i) {
    if (last[i] <= i) continue;
    ++change[i + 1];
    --change[last[i] + 1];
  }
  std::vector<uint32_t> carried(count + 1, 0);
  int32_t sum = 0;
  for (size_t i = 0; i < carried.size(); ++i) {
    sum += change[i];
    carried[i] = static_cast<uint32_t>(std::max(sum, 0));
  }
  return carried;
}

std::vector<Repeat> RepeatsOf(ModuleView& view, std::span<const InstId> order, const Reads& reads,
                              uint32_t longest_period) {
  const Signatures& signatures = view.signatures();
  const Positions positions(view.module(), order);
  std::vector<uint64_t> sequence;
  sequence.reserve(order.size());
  for (const InstId id : order) sequence.push_back(signatures.of(id));
  // Two instructions read alike if their operands are equally far before them, are identical, or
  // are both far away and have the same signature.
  const auto same = [&](uint32_t a, uint32_t b) {
    const std::span<const InstId> x = reads.of(a), y = reads.of(b);
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] == y[i]) continue;
      const uint32_t from_a = positions.of(x[i]), from_b = positions.of(y[i]);
      if (from_a != Positions::kNone && from_b != Positions::kNone && from_b - from_a == b - a)
        continue;
      const bool near_a = from_a != Positions::kNone && a - from_a <= kNear;
      const bool near_b = from_b != Positions::kNone && b - from_b <= kNear;
      if (near_a || near_b || signatures.of(x[i]) != signatures.of(y[i])) return false;
    }
    return true;
  };
  const std::vector<uint32_t> carried = Carried(positions, order.size(), reads);
  return FindRepeats(sequence,
                     {.longest_period = longest_period, .carried = carried, .same = same});
}

uint64_t GainOf(const std::vector<Repeat>& repeats) {
  uint64_t gain = 0;
  for (const Repeat& each : repeats) gain += uint64_t{each.count - 1} * each.period;
  return gain;
}

// The parts of an op_name's path, without the primitive at its end.
std::vector<std::string_view> PartsOf(std::string_view op_name) {
  std::vector<std::string_view> parts;
  size_t depth = 0, begin = 0;
  for (size_t i = 0; i < op_name.size() && parts.size() < kDeepestScope + 4; ++i) {
    if (op_name[i] == '(') ++depth;
    if (op_name[i] == ')' && depth != 0) --depth;
    if (op_name[i] != '/' || depth != 0) continue;
    parts.push_back(op_name.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

// The prefix that ends with the part of that number.
std::string_view PrefixOf(std::string_view op_name, size_t parts) {
  const std::vector<std::string_view> all = PartsOf(op_name);
  if (all.empty()) return {};
  const std::string_view last = all[std::min(parts, all.size()) - 1];
  return op_name.substr(0, static_cast<size_t>(last.data() + last.size() - op_name.data()));
}

struct Run {
  uint32_t begin = 0, end = 0;  // items
  std::string_view prefix;
};

std::vector<Run> RunsAt(const std::vector<std::string_view>& names, size_t depth) {
  std::vector<Run> runs;
  for (uint32_t i = 0; i < names.size(); ++i) {
    const std::string_view prefix = PrefixOf(names[i], depth);
    const bool joins = !runs.empty() && (prefix.empty() || prefix == runs.back().prefix ||
                                         runs.back().prefix.empty());
    if (!joins) runs.push_back({i, i, prefix});
    if (runs.back().prefix.empty()) runs.back().prefix = prefix;
    runs.back().end = i + 1;
  }
  return runs;
}

std::vector<Run> Chunks(const std::vector<std::string_view>& names, uint32_t most) {
  std::vector<Run> runs;
  const auto size = static_cast<uint32_t>((names.size() + most - 1) / most);
  for (uint32_t i = 0; i < names.size(); i += size) {
    runs.push_back({i, std::min<uint32_t>(i + size, static_cast<uint32_t>(names.size())), {}});
  }
  return runs;
}

void Gather(const Module& module, uint32_t most, Level& level) {
  std::vector<std::string_view> names;
  for (const LevelItem& item : level.items) {
    std::string_view name;
    for (uint32_t i = item.begin; i < std::min(item.end, item.begin + 16) && name.empty(); ++i) {
      name = OriginOf(module, level.order[i]).op_name;
    }
    names.push_back(name);
  }
  std::vector<Run> runs;
  for (size_t depth = kDeepestScope; depth > 0; --depth) {
    runs = RunsAt(names, depth);
    if (runs.size() <= most) break;
  }
  if (runs.size() > most || runs.size() <= 1) runs = Chunks(names, most);
  std::vector<LevelItem> items;
  for (const Run& run : runs) {
    if (run.end - run.begin == 1) {
      items.push_back(std::move(level.items[run.begin]));
      continue;
    }
    LevelItem item{NodeKind::kScope, level.items[run.begin].begin, level.items[run.end - 1].end, 0,
                   std::string(run.prefix)};
    items.push_back(std::move(item));
  }
  level.items = std::move(items);
  level.is_gathered = true;
}

}  // namespace

bool IsLeaf(const Module& module, const Inst& inst) {
  if (inst.opcode == Opcode::kParameter || inst.opcode == Opcode::kConstant) return true;
  // An element of a parameter is also an input.
  if (inst.opcode != Opcode::kGetTupleElement || inst.operand_count != 1) return false;
  const InstId operand = module.operands_of(inst)[0];
  return operand.valid() && module.inst(operand).opcode == Opcode::kParameter;
}

Level LevelOf(ModuleView& view, CompId id, const LevelOptions& options) {
  const Module& module = view.module();
  const Computation& comp = module.comp(id);
  Resolver resolver(module, options.all, comp.count);
  const auto is_shown = [&](InstId each) {
    const Inst& inst = module.inst(each);
    return !IsLeaf(module, inst) && !resolver.PassesOn(inst);
  };
  Level level;
  std::vector<InstId> text;
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    if (IsLeaf(module, module.insts[i])) level.leaves.push_back(InstId(i));
    if (is_shown(InstId(i))) text.push_back(InstId(i));
  }
  if (comp.root.valid()) resolver.Resolve(comp.root, level.outputs);
  Reads reads = resolver.ReadsOf(text);
  const bool text_will_do = ComesAfterOperands(module, text);
  const bool is_large = text.size() > kReordered;
  if (text_will_do && (options.group != Grouping::kLayers || is_large)) {
    level.order = std::move(text);
    level.reads = std::move(reads);
    if (options.group == Grouping::kScope) ArrangeByScope(module, is_large, level);
    return level;
  }
  std::vector<InstId> all, post;
  PostOrder(module, view.users()).Append(id, all);
  for (const InstId each : all) {
    if (is_shown(each)) post.push_back(each);
  }
  Reads post_reads = resolver.ReadsOf(post);
  const bool takes_post =
      post.size() == text.size() &&
      (!text_will_do || GainOf(RepeatsOf(view, post, post_reads, UINT32_MAX)) >
                            GainOf(RepeatsOf(view, text, reads, UINT32_MAX)) * 11 / 10);
  level.order = std::move(takes_post ? post : text);
  level.reads = std::move(takes_post ? post_reads : reads);
  if (options.group == Grouping::kScope) ArrangeByScope(module, is_large, level);
  return level;
}

Level PartOf(const Level& level, uint32_t begin, uint32_t end) {
  Level part;
  for (uint32_t i = begin; i < end; ++i) {
    part.order.push_back(level.order[i]);
    const std::span<const InstId> reads = level.reads.of(i);
    part.reads.insts.insert(part.reads.insts.end(), reads.begin(), reads.end());
    part.reads.End();
  }
  part.outputs = level.outputs;
  part.tree = level.tree;
  if (level.tree) part.scopes.assign(level.scopes.begin() + begin, level.scopes.begin() + end);
  return part;
}

void CutIntoItems(ModuleView& view, Grouping group, uint32_t longest_period, uint32_t most,
                  Level& level) {
  if (group == Grouping::kScope) {
    CutByScope(view.module(), level);
    if (level.items.size() > most) Gather(view.module(), most, level);
    return;
  }
  level.items.clear();
  const auto count = static_cast<uint32_t>(level.order.size());
  std::vector<Repeat> repeats;
  if (group == Grouping::kLayers)
    repeats = RepeatsOf(view, level.order, level.reads, longest_period);
  uint32_t at = 0;
  const auto single = [&](uint32_t end) {
    for (; at < end; ++at) level.items.push_back({NodeKind::kInst, at, at + 1, 0, {}});
  };
  for (const Repeat& each : repeats) {
    single(each.first);
    at = each.first + each.period * each.count;
    level.items.push_back({NodeKind::kFold, each.first, at, each.period, {}});
  }
  single(count);
  if (level.items.size() > most) Gather(view.module(), most, level);
}

std::string CommonScope(const Module& module, std::span<const InstId> insts) {
  std::string common;
  bool first = true;
  for (const InstId id : insts.first(std::min<size_t>(insts.size(), 256))) {
    const std::string_view op_name = OriginOf(module, id).op_name;
    if (op_name.find('/') == std::string_view::npos) continue;
    const std::string scope = ScopeOf(op_name);
    if (first) {
      common = scope;
      first = false;
      continue;
    }
    size_t same = 0;
    while (same < common.size() && same < scope.size() && common[same] == scope[same]) ++same;
    const bool whole = (same == common.size() || common[same] == '/') &&
                       (same == scope.size() || scope[same] == '/');
    if (!whole) same = common.rfind('/', same == 0 ? 0 : same - 1);
    if (same == std::string::npos) return {};
    common.resize(same);
  }
  return common;
}

}  // namespace halo::view
