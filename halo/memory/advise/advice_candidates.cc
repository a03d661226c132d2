// Donations, and values that could take fewer bytes. Changes to the schedule are in
// advice_moves.cc.
#include "halo/memory/advise/advice_candidates.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "halo/base/strings/human_size.h"
#include "halo/memory/advise/advice_words.h"
#include "halo/memory/advise/donation.h"
#include "halo/memory/explain/live_entries.h"
#include "halo/memory/explain/origins.h"

namespace halo {
namespace {

constexpr size_t kOneByOne = 8;
constexpr int64_t kWorthwhile = 1024;  // bytes; less is not worth a line

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
      frontend_(DetectFrontend(module_)),
      users_(module_) {}

std::vector<std::vector<AdviceCandidate>> AdviceCandidates::Find(bool thorough) const {
  std::vector<List> lists = {Donations(thorough), Narrower(), Repeats(), Moves(),
                             Unpadded(thorough)};
  for (List& list : lists) SortByHope(list);
  return lists;
}

AdviceCandidates::List AdviceCandidates::Donations(bool thorough) const {
  const std::vector<AliasEntry> aliases = options_.aliases ? *options_.aliases : AliasesOf(module_);
  std::vector<DonationChoice> choices = PossibleDonations(module_, aliases);
  // The arrays of a tuple parameter are donated together.
  std::map<int64_t, size_t> first;
  for (size_t i = 0; i < choices.size(); ++i) first.try_emplace(choices[i].alias.number, i);
  std::sort(choices.begin(), choices.end(), [&](const auto& a, const auto& b) {
    return std::tuple(first.at(a.alias.number), -a.bytes, a.alias.input_index) <
           std::tuple(first.at(b.alias.number), -b.bytes, b.alias.input_index);
  });
  List list;
  const auto add = [&](std::span<const DonationChoice> some) {
    AdviceCandidate candidate;
    Advice& advice = candidate.advice;
    advice.kind = AdviceKind::kDonate;
    for (const DonationChoice& choice : some) {
      candidate.hoped += choice.bytes;
      candidate.donations.push_back(choice.alias);
      if (advice.parameters.empty() || advice.parameters.back() != choice.alias.number) {
        advice.parameters.push_back(choice.alias.number);
      }
    }
    advice.change.donate = advice.parameters;
    const DonationChoice& largest = some[0];
    const std::string one = std::to_string(largest.alias.number) + " (" + largest.name + ")";
    advice.brief =
        advice.parameters.size() == 1
            ? "donate parameter " + one
            : "donate " + Counted(static_cast<int64_t>(advice.parameters.size()), "parameter");
    advice.what = some.size() == 1
                      ? advice.brief + " to output " + IndexText(largest.alias.output_index)
                  : advice.parameters.size() == 1
                      ? advice.brief + " to outputs of the same shapes"
                      : advice.brief + " to outputs of the same shapes, the largest is " + one;
    advice.how = HowToDonate(frontend_, some);
    list.push_back(std::move(candidate));
  };
  if (choices.empty()) return list;
  add(choices);
  if (!thorough || first.size() == 1) return list;
  for (size_t i = 0; i < choices.size() && list.size() <= kOneByOne;) {
    size_t end = i;
    while (end < choices.size() && choices[end].alias.number == choices[i].alias.number) ++end;
    add({&choices[i], end - i});
    i = end;
  }
  return list;
}

AdviceCandidates::List AdviceCandidates::Narrower() const {
  AdviceCandidate candidate;
  int64_t count = 0, bytes = 0;
  std::vector<std::string> sources;
  for (const LiveEntry& item : peak_.entries) {
    if (!CanNarrow(item)) continue;
    AddResized(item, item.bytes / 2, candidate);
    bytes += item.bytes;
    ++count;
    constexpr size_t kNamed = 3;
    if (!item.source.empty() && sources.size() < kNamed &&
        std::find(sources.begin(), sources.end(), item.source) == sources.end()) {
      sources.push_back(item.source);
    }
  }
  if (count == 0) return {};
  std::string lines;
  for (const std::string& each : sources) lines += (lines.empty() ? "" : ", ") + each;
  Advice& advice = candidate.advice;
  advice.kind = AdviceKind::kNarrow;
  advice.brief = "keep " + Counted(count, "f32 activation") + " in bf16";
  advice.what = "keep " + Counted(count, "f32 activation") + " of the peak (" + HumanBytes(bytes) +
                ") in bf16";
  advice.how = HowToNarrow(frontend_, lines);
  advice.cost = "8 significant bits instead of 24";
  advice.source = sources.empty() ? "" : sources[0];
  advice.change.bf16 = {std::string(kAllValues)};
  return {candidate};
}

bool AdviceCandidates::CanNarrow(const LiveEntry& item) {
  return item.memory_kind == MemoryKind::kTemp && item.dtype == "f32" &&
         (item.value_role == ValueRole::kActivation || item.value_role == ValueRole::kRecomputed);
}

bool AdviceCandidates::CanUnpad(const LiveEntry& item) {
  const int64_t padding = item.bytes - item.unpadded_bytes;
  return item.memory_kind == MemoryKind::kTemp && item.unpadded_bytes != 0 &&
         padding > item.bytes / 8;
}

void AdviceCandidates::AddResized(const LiveEntry& item, int64_t bytes,
                                  AdviceCandidate& candidate) const {
  const BoundValue value = bound_.value(item.value);
  candidate.resized.push_back({value.inst, value.node, bytes});
  candidate.advice.instructions.push_back(item.name);
  candidate.hoped += item.bytes - bytes;
}

AdviceCandidates::List AdviceCandidates::Unpadded(bool thorough) const {
  struct Alike {
    AdviceCandidate candidate;
    const LiveEntry* first = nullptr;
    int64_t bytes = 0, logical_bytes = 0;
  };
  AdviceCandidate all;
  std::map<std::pair<std::string_view, std::string_view>, size_t> known;
  std::vector<Alike> groups;  // the one with the largest item first
  for (const LiveEntry& item : peak_.entries) {
    if (!CanUnpad(item)) continue;
    const auto [entry, is_new] = known.try_emplace({item.shape, item.scope}, groups.size());
    if (is_new) groups.push_back({.candidate = {}, .first = &item});
    Alike& group = groups[entry->second];
    group.bytes += item.bytes;
    group.logical_bytes += item.unpadded_bytes;
    AddResized(item, item.unpadded_bytes, group.candidate);
    AddResized(item, item.unpadded_bytes, all);
  }
  List list;
  for (size_t i = 0; i < std::min(groups.size(), kOneByOne); ++i) {
    const LiveEntry& item = *groups[i].first;
    AdviceCandidate one = std::move(groups[i].candidate);
    Advice& advice = one.advice;
    const auto count = static_cast<int64_t>(advice.instructions.size());
    advice.brief = "avoid the padding of " + Counted(count, "value") + AdvicePlace(item);
    advice.what = "choose dimensions without padding for " + item.shape + AdvicePlace(item) + ": " +
                  HumanBytes(groups[i].bytes) + " hold " + HumanBytes(groups[i].logical_bytes);
    advice.source = item.source;
    advice.scope = item.scope;
    advice.change.unpad = advice.instructions;
    list.push_back(std::move(one));
  }
  if (list.size() > 1) {
    const std::string values = Counted(static_cast<int64_t>(all.resized.size()), "value");
    all.advice.brief = "avoid the padding of " + values;
    all.advice.what = "choose dimensions without padding for " + values + " of the peak";
    all.advice.change.unpad = {std::string(kAllValues)};
    if (!thorough) list.clear();
    list.push_back(std::move(all));
  }
  for (AdviceCandidate& each : list) each.advice.kind = AdviceKind::kUnpad;
  return list;
}

std::string AdvicePlace(const LiveEntry& item) {
  if (!item.source.empty()) return " (" + item.source + ")";
  const std::string scope = InnermostScope(item.op_name);
  return scope.empty() ? "" : " in " + scope;
}

}  // namespace halo
