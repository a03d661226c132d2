// Similar changes of the same kind (one per layer, say) are tried together, because one of them
// alone seldom lowers a peak.
#include "halo/memory/advise/advice_candidates.h"

#include <algorithm>
#include <map>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/sharing/elementwise_use.h"
#include "halo/base/strings/human_size.h"
#include "halo/ir/op_properties.h"
#include "halo/memory/advise/donation.h"
#include "halo/memory/explain/live_entries.h"
#include "halo/memory/explain/origins.h"

namespace halo {
namespace {

constexpr size_t kLooked = 60;  // of the largest items at the peak
constexpr size_t kOneByOne = 8;
constexpr int64_t kWorthwhile = 1024;  // bytes; less is not worth a line

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

std::string Counted(size_t count, std::string_view one) {
  return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

std::string Where(const LiveEntry& item) {
  if (!item.source.empty()) return " (" + item.source + ")";
  // The innermost two scopes are enough to identify it.
  size_t at = item.scope.rfind('/');
  if (at != std::string::npos && at != 0) at = item.scope.rfind('/', at - 1);
  const std::string scope = at == std::string::npos ? item.scope : item.scope.substr(at + 1);
  return scope.empty() ? "" : " in " + scope;
}

// "bf16[4,8192]": a shape without its layout.
std::string_view BareShape(std::string_view shape) { return shape.substr(0, shape.find('{')); }

void SortByHope(std::vector<AdviceCandidate>& list) {
  std::erase_if(list, [](const AdviceCandidate& each) { return each.hoped < kWorthwhile; });
  std::sort(list.begin(), list.end(), [](const AdviceCandidate& a, const AdviceCandidate& b) {
    return std::tie(b.hoped, a.advice.what) < std::tie(a.hoped, b.advice.what);
  });
}

}  // namespace

AdviceCandidates::AdviceCandidates(const BoundAssignment& planned, const MemoryExplanation& peak,
                                   const AssignOptions& options)
    : bound_(planned),
      module_(*planned.module()),
      planned_(planned.assignment()),
      peak_(peak),
      options_(options),
      users_(module_) {}

std::vector<std::vector<AdviceCandidate>> AdviceCandidates::Find(bool thorough) const {
  std::vector<List> lists = {Donations(thorough), Narrower(), Repeats(), Moves(),
                             Unpadded(thorough)};
  for (List& list : lists) SortByHope(list);
  return lists;
}

AdviceCandidates::List AdviceCandidates::Donations(bool thorough) const {
  const std::vector<AliasEntry> aliases = options_.aliases ? *options_.aliases : AliasesOf(module_);
  const std::vector<DonationChoice> choices = PossibleDonations(module_, aliases);
  List list;
  const auto add = [&](std::span<const DonationChoice> some) {
    AdviceCandidate candidate;
    candidate.advice.kind = AdviceKind::kDonate;
    for (const DonationChoice& choice : some) {
      candidate.hoped += choice.bytes;
      candidate.donations.push_back(choice.alias);
      candidate.advice.parameters.push_back(choice.alias.number);
    }
    const DonationChoice& first = some[0];
    candidate.advice.what =
        some.size() == 1 ? "donate parameter " + std::to_string(first.alias.number) + " (" +
                               first.name + ") to output " + IndexText(first.alias.output_index)
                         : "donate " + std::to_string(some.size()) +
                               " parameters that outputs are shaped like, " +
                               std::to_string(first.alias.number) + " (" + first.name + ") first";
    list.push_back(std::move(candidate));
  };
  if (choices.empty()) return list;
  add(choices);
  if (!thorough || choices.size() == 1) return list;
  for (size_t i = 0; i < std::min(choices.size(), kOneByOne); ++i) add({&choices[i], 1});
  return list;
}

AdviceCandidates::List AdviceCandidates::Narrower() const {
  AdviceCandidate candidate;
  candidate.advice.kind = AdviceKind::kNarrow;
  size_t count = 0;
  int64_t bytes = 0;
  for (const LiveEntry& item : peak_.entries) {
    if (item.kind != MemoryKind::kTemp || item.dtype != "f32") continue;
    if (item.role != ValueRole::kActivation && item.role != ValueRole::kRecomputed) continue;
    const BoundValue value = bound_.value(item.value);
    candidate.resized.push_back({value.inst, value.node, item.bytes / 2});
    candidate.advice.instructions.push_back(item.name);
    candidate.hoped += item.bytes / 2;
    bytes += item.bytes;
    ++count;
  }
  if (count == 0) return {};
  candidate.advice.what = "keep " + Counted(count, "f32 activation") + " of the peak (" +
                          HumanBytes(bytes) + ") in bf16";
  candidate.advice.cost = "8 bits of significand are left";
  return {candidate};
}

AdviceCandidates::List AdviceCandidates::Unpadded(bool thorough) const {
  List list;
  AdviceCandidate all;
  all.advice.kind = AdviceKind::kUnpad;
  for (const LiveEntry& item : MergeAlike(peak_.entries)) {
    const int64_t padding = item.bytes - item.logical_bytes;
    if (item.kind != MemoryKind::kTemp || item.logical_bytes == 0 || padding <= item.bytes / 8) {
      continue;
    }
    AdviceCandidate one;
    one.advice.kind = AdviceKind::kUnpad;
    for (const LiveEntry& each : peak_.entries) {
      if (each.shape != item.shape || each.scope != item.scope || each.kind != item.kind) continue;
      const BoundValue value = bound_.value(each.value);
      one.resized.push_back({value.inst, value.node, each.logical_bytes});
      one.advice.instructions.push_back(each.name);
      one.hoped += each.bytes - each.logical_bytes;
    }
    one.advice.what = "a shape or layout without padding for " + item.shape + Where(item) + ": " +
                      HumanBytes(item.bytes) + " for " + HumanBytes(item.logical_bytes);
    all.hoped += one.hoped;
    all.resized.insert(all.resized.end(), one.resized.begin(), one.resized.end());
    all.advice.instructions.insert(all.advice.instructions.end(), one.advice.instructions.begin(),
                                   one.advice.instructions.end());
    if (list.size() < kOneByOne) list.push_back(std::move(one));
  }
  if (list.size() > 1) {
    all.advice.what = "shapes or layouts without padding for " +
                      Counted(all.resized.size(), "value") + " of the peak";
    if (!thorough) list.clear();
    list.push_back(std::move(all));
  }
  return list;
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
  return item.kind == MemoryKind::kTemp && value.node == 0 ? value.inst : InstId();
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
  candidate.advice.what = "run " + std::string(module_.name_of(module_.inst(inst))) +
                          " later, before " + std::string(module_.name_of(module_.inst(first)));
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
  if (item.kind != MemoryKind::kTemp || !late.valid() ||
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
  candidate.advice.what = "run " + std::string(module_.name_of(module_.inst(late))) + source +
                          " earlier, after " + std::string(module_.name_of(module_.inst(last)));
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
  out.push_back(std::move(candidate));
}

AdviceCandidates::List AdviceCandidates::Moves() const {
  std::map<std::string, List> groups;
  for (size_t i = 0; i < std::min(peak_.entries.size(), kLooked); ++i) {
    const LiveEntry& item = peak_.entries[i];
    const InstId inst = DefinerOf(item);
    List later, earlier;
    if (inst.valid() && HasFlag(module_.inst(inst).opcode, kMovable)) MoveLater(item, inst, later);
    MoveEarlier(item, earlier);
    const std::string key = item.scope + "|" + item.shape + "|" + item.opcode;
    for (AdviceCandidate& each : later) groups["later|" + key].push_back(std::move(each));
    for (AdviceCandidate& each : earlier) groups["earlier|" + key].push_back(std::move(each));
  }
  List list;
  for (auto& [key, parts] : groups) {
    AdviceCandidate joined = std::move(parts[0]);
    for (size_t i = 1; i < parts.size(); ++i) {
      joined.hoped += parts[i].hoped;
      for (const InstPosition& move : parts[i].moves) {
        // Two items may wait for the same instruction.
        const bool is_known =
            std::any_of(joined.moves.begin(), joined.moves.end(),
                        [&](const InstPosition& each) { return each.inst == move.inst; });
        if (!is_known) joined.moves.push_back(move);
      }
    }
    if (parts.size() > 1) {
      joined.advice.what += ", and " + Counted(parts.size() - 1, "move") + " like it";
    }
    joined.advice.kind = AdviceKind::kMove;
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
  for (size_t i = 0; i < std::min(peak_.entries.size(), kLooked); ++i) {
    const LiveEntry& item = peak_.entries[i];
    const InstId inst = DefinerOf(item);
    if (!inst.valid()) continue;
    Group& group = groups[item.scope + "|" + item.shape + "|" + item.opcode];
    group.item = &item;
    Repeat(item, inst, group.parts);
  }
  List list;
  for (auto& [key, group] : groups) {
    if (group.parts.empty()) continue;
    AdviceCandidate joined;
    joined.advice.kind = AdviceKind::kRecompute;
    int64_t traffic = 0;
    for (const AdviceCandidate& part : group.parts) {
      joined.hoped += part.hoped;
      joined.repeats.push_back(part.repeats[0]);
      const Inst& inst = module_.inst(part.repeats[0].inst);
      joined.advice.instructions.emplace_back(module_.name_of(inst));
      traffic += Bytes(inst);
      for (const InstId operand : module_.operands_of(inst))
        traffic += Bytes(module_.inst(operand));
    }
    const std::string& first = joined.advice.instructions[0];
    joined.advice.what = "recompute " +
                         (group.parts.size() == 1 ? first
                                                  : std::to_string(group.parts.size()) + " of " +
                                                        std::string(BareShape(group.item->shape)) +
                                                        " (" + first + ", ...)") +
                         Where(*group.item);
    joined.advice.cost = HumanBytes(traffic) + " of traffic more";
    list.push_back(std::move(joined));
  }
  return list;
}

}  // namespace halo
