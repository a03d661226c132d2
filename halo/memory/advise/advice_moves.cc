// Changes to the schedule: what runs earlier or later, and what is computed again after the peak.
// Similar changes (one per layer, say) are tried together, because one alone seldom lowers a peak.
#include <algorithm>
#include <map>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/sharing/elementwise_use.h"
#include "halo/base/strings/human_size.h"
#include "halo/ir/op_properties.h"
#include "halo/memory/advise/advice_candidates.h"
#include "halo/memory/advise/advice_words.h"
#include "halo/memory/explain/origins.h"

namespace halo {
namespace {

// A product computed by a library: it reads its operands and nothing else.
bool IsLibraryProduct(const Module& module, const Inst& inst) {
  if (inst.opcode != Opcode::kCustomCall) return false;
  const std::string_view target = module.TextOr(inst.attrs, AttrKey::k_custom_call_target);
  return target.starts_with("__cublas$") &&
         !module.BoolOr(inst.attrs, AttrKey::k_custom_call_has_side_effect, false);
}

// Elementwise work: costs memory traffic, and per element as many operations as it has
// instructions.
bool IsCheap(const Module& module, const Inst& inst) {
  if (inst.opcode != Opcode::kFusion)
    return HasFlag(inst.opcode, kMovable) && HasFlag(inst.opcode, kRecomputable);
  const CompId fused = FusedComputation(module, inst);
  if (!fused.valid()) return false;
  const Computation& comp = module.comp(fused);
  for (uint32_t i = 0; i < comp.count; ++i) {
    if (!HasFlag(module.insts[comp.first + i].opcode, kRecomputable)) return false;
  }
  return true;
}

// "bf16[4,8192]": a shape without its layout.
std::string_view BareShape(std::string_view shape) { return shape.substr(0, shape.find('{')); }

}  // namespace

std::span<const LiveEntry> AdviceCandidates::Looked() const {
  constexpr size_t kLooked = 60;  // of the largest items at the peak
  return {peak_.entries.data(), std::min(peak_.entries.size(), kLooked)};
}

InstId AdviceCandidates::Cut(InstId inst) const {
  const Computation& comp = module_.comp(module_.inst(inst).parent);
  for (uint32_t i = 0; i < comp.count; ++i) {
    const int64_t time = bound_.time(InstId(comp.first + i));
    if (time >= 0 && time >= peak_.peak_time) return InstId(comp.first + i);
  }
  return InstId(comp.first + comp.count);
}

InstId AdviceCandidates::DefinerOf(const LiveEntry& item) const {
  const BoundValue value = bound_.value(item.value);
  return item.memory_kind == MemoryKind::kTemp && value.node == 0 ? value.inst : InstId();
}

int64_t AdviceCandidates::Bytes(const Inst& inst) const {
  return module_.shapes.is_array(inst.shape) ? BufferBytes(module_, inst.shape, options_.rules) : 0;
}

// True if an operand is live after the peak anyway.
bool AdviceCandidates::LivesOn(InstId operand, InstId cut) const {
  const Inst& inst = module_.inst(operand);
  if (inst.opcode == Opcode::kParameter || inst.opcode == Opcode::kConstant) return true;
  const std::span<const InstId> users = users_.of(operand);
  return std::any_of(users.begin(), users.end(), [&](InstId user) { return user > cut; });
}

void AdviceCandidates::MoveLater(const LiveEntry& item, InstId inst, List& out) const {
  const InstId cut = Cut(inst);
  const std::span<const InstId> users = users_.of(inst);
  if (inst >= cut || users.empty()) return;
  const InstId first = *std::min_element(users.begin(), users.end());
  if (first <= cut) return;
  AdviceCandidate candidate;
  candidate.hoped = item.bytes;
  for (const InstId operand : module_.operands_of(module_.inst(inst))) {
    if (!LivesOn(operand, cut)) candidate.hoped -= Bytes(module_.inst(operand));
  }
  candidate.moves.push_back({inst, first});
  candidate.advice.change.later = {item.name};
  candidate.advice.brief = "run " + item.name + AdvicePlace(item) + " later";
  candidate.advice.what = "run " + item.name + AdvicePlace(item) + " later, before " +
                          std::string(module_.name_of(module_.inst(first)));
  candidate.advice.source = item.source;
  candidate.advice.scope = item.scope;
  out.push_back(std::move(candidate));
}

InstId AdviceCandidates::OnlyLateUser(const LiveEntry& item) const {
  InstId late;
  for (const ValueUse& use : planned_.uses_of(planned_.value(item.value))) {
    const InstId user = bound_.user(use);
    if (bound_.time(user) <= peak_.peak_time) continue;
    if (late.valid() && late != user) return {};
    late = user;
  }
  return late;
}

std::vector<InstId> AdviceCandidates::MovableWith(InstId inst, InstId cut) const {
  constexpr size_t kMost = 8;
  std::vector<InstId> group = {inst};
  for (size_t i = 0; i < group.size(); ++i) {
    const Inst& at = module_.inst(group[i]);
    const bool passes_on = at.opcode == Opcode::kBitcast || at.opcode == Opcode::kGetTupleElement;
    if ((!passes_on && !HasFlag(at.opcode, kMovable) && !IsLibraryProduct(module_, at)) ||
        module_.Find(at, AttrKey::k_control_predecessors) != nullptr || group.size() > kMost) {
      return {};
    }
    for (const InstId operand : module_.operands_of(at)) {
      if (!operand.valid()) return {};
      if (operand < cut) continue;
      if (std::find(group.begin(), group.end(), operand) == group.end()) group.push_back(operand);
    }
  }
  std::sort(group.begin(), group.end());
  return group;
}

void AdviceCandidates::MoveEarlier(const LiveEntry& item, List& out) const {
  const InstId late = OnlyLateUser(item);
  if (item.memory_kind != MemoryKind::kTemp || !late.valid() ||
      module_.comp(module_.inst(late).parent).root == late) {
    return;
  }
  const InstId cut = Cut(late);
  const std::vector<InstId> group = late > cut ? MovableWith(late, cut) : std::vector<InstId>();
  if (group.empty()) return;
  InstId last;
  for (const InstId each : group) {
    for (const InstId operand : module_.operands_of(module_.inst(each))) {
      if (operand < cut && (!last.valid() || operand > last)) last = operand;
    }
  }
  if (!last.valid()) return;
  AdviceCandidate candidate;
  candidate.hoped = item.bytes - Bytes(module_.inst(late));
  for (const InstId each : group) candidate.moves.push_back({each, InstId(last.value + 1)});
  const std::string source = item.needed_source.empty() ? "" : " (" + item.needed_source + ")";
  candidate.advice.change.earlier = {item.needed_by};
  candidate.advice.brief = "run " + item.needed_by + source + " earlier";
  candidate.advice.what = "run " + item.needed_by + source + " earlier, after " +
                          std::string(module_.name_of(module_.inst(last)));
  candidate.advice.source = item.needed_source;
  candidate.advice.scope = ScopeOf(item.needed_op_name);
  out.push_back(std::move(candidate));
}

void AdviceCandidates::Repeat(const LiveEntry& item, InstId inst, List& out) const {
  const Inst& made = module_.inst(inst);
  const InstId cut = Cut(inst);
  if (inst >= cut || !IsCheap(module_, made)) return;
  InstId next;
  bool is_used_before = false;
  for (const InstId user : users_.of(inst)) {
    if (user <= cut) {
      is_used_before = true;
    } else if (!next.valid() || user < next) {
      next = user;
    }
  }
  if (!is_used_before || !next.valid()) return;
  AdviceCandidate candidate;
  candidate.hoped = item.bytes;
  for (const InstId operand : module_.operands_of(made)) {
    if (!LivesOn(operand, cut)) candidate.hoped -= Bytes(module_.inst(operand));
  }
  candidate.repeats.push_back({inst, next});
  candidate.advice.change.recompute = {item.name};
  out.push_back(std::move(candidate));
}

// Candidates for the same kind of change as one; nothing is moved or repeated twice.
AdviceCandidate AdviceCandidates::Joined(List parts) {
  AdviceCandidate joined = std::move(parts[0]);
  const auto add = [](const std::vector<InstPosition>& from, std::vector<InstPosition>& to) {
    for (const InstPosition& each : from) {
      const bool is_known = std::any_of(
          to.begin(), to.end(), [&](const InstPosition& known) { return known.inst == each.inst; });
      if (!is_known) to.push_back(each);
    }
  };
  const auto add_names = [](const std::vector<std::string>& from, std::vector<std::string>& to) {
    for (const std::string& each : from) {
      if (std::find(to.begin(), to.end(), each) == to.end()) to.push_back(each);
    }
  };
  for (size_t i = 1; i < parts.size(); ++i) {
    joined.hoped += parts[i].hoped;
    add(parts[i].moves, joined.moves);
    add(parts[i].repeats, joined.repeats);
    ProgramChange& change = joined.advice.change;
    add_names(parts[i].advice.change.recompute, change.recompute);
    add_names(parts[i].advice.change.earlier, change.earlier);
    add_names(parts[i].advice.change.later, change.later);
  }
  return joined;
}

AdviceCandidates::List AdviceCandidates::Moves() const {
  std::map<std::string, List> groups;
  for (const LiveEntry& item : Looked()) {
    const InstId inst = DefinerOf(item);
    const std::string key = item.scope + "|" + item.shape + "|" + item.opcode;
    if (inst.valid() && HasFlag(module_.inst(inst).opcode, kMovable)) {
      MoveLater(item, inst, groups["later|" + key]);
    }
    MoveEarlier(item, groups["earlier|" + key]);
  }
  List list;
  for (auto& [key, parts] : groups) {
    if (parts.empty()) continue;
    const size_t others = parts.size() - 1;
    AdviceCandidate joined = Joined(std::move(parts));
    if (others > 0) {
      joined.advice.what += ", and " + Counted(static_cast<int64_t>(others), "move") + " like it";
    }
    joined.advice.kind = AdviceKind::kMove;
    joined.advice.how = HowToReorder(frontend_);
    for (const InstPosition& move : joined.moves) {
      joined.advice.instructions.emplace_back(module_.name_of(module_.inst(move.inst)));
    }
    list.push_back(std::move(joined));
  }
  return list;
}

AdviceCandidates::List AdviceCandidates::Repeats() const {
  struct Group {
    const LiveEntry* item;
    List parts;
  };
  std::map<std::string, Group> groups;
  for (const LiveEntry& item : Looked()) {
    const InstId inst = DefinerOf(item);
    if (!inst.valid()) continue;
    Group& group = groups[item.scope + "|" + item.shape + "|" + item.opcode];
    group.item = &item;
    Repeat(item, inst, group.parts);
  }
  List list;
  for (auto& [key, group] : groups) {
    if (group.parts.empty()) continue;
    AdviceCandidate joined = Joined(std::move(group.parts));
    Advice& advice = joined.advice;
    advice.kind = AdviceKind::kRecompute;
    int64_t traffic = 0;
    for (const InstPosition& each : joined.repeats) {
      const Inst& inst = module_.inst(each.inst);
      traffic += Bytes(inst);
      for (const InstId operand : module_.operands_of(inst))
        traffic += Bytes(module_.inst(operand));
    }
    advice.instructions = advice.change.recompute;
    const std::string& first = advice.instructions[0];
    const size_t count = advice.instructions.size();
    advice.brief = "recompute " +
                   (count == 1 ? first : Counted(static_cast<int64_t>(count), "value")) +
                   AdvicePlace(*group.item);
    advice.what =
        "recompute " +
        (count == 1 ? first
                    : std::to_string(count) + " of " + std::string(BareShape(group.item->shape)) +
                          " (" + first + ", ...)") +
        AdvicePlace(*group.item);
    advice.how = HowToRecompute(frontend_, *group.item);
    advice.cost = HumanBytes(traffic) + " more memory traffic";
    advice.source = group.item->source;
    advice.scope = group.item->scope;
    list.push_back(std::move(joined));
  }
  return list;
}

}  // namespace halo
