// Kernels and copies. Kernels that share values are gathered: "1 fusion became 2". A value that is
// computed in several kernels of a program, or that costs nothing, says nothing about which kernels
// correspond.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "halo/base/capped.h"
#include "halo/diff/explain/describe.h"
#include "halo/diff/explain/placement_causes.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

struct Kernels {
  std::vector<uint32_t> number;  // by instruction; kUnmatched: none
  std::vector<InstId> insts;
};

Kernels KernelsOf(const Module& module, const ValueGraph& graph) {
  Kernels found;
  found.number.assign(module.insts.size(), kUnmatched);
  for (const ValueNode& node : graph.nodes) {
    uint32_t& number = found.number[node.kernel.index()];
    if (node.kind != ValueKind::kOp || number != kUnmatched) continue;
    number = static_cast<uint32_t>(found.insts.size());
    found.insts.push_back(node.kernel);
  }
  return found;
}

bool IsFusion(const Module& module, InstId inst) {
  return PropertiesOf(module.inst(inst).opcode).calls == OpCalls::kFuses;
}

std::string KernelText(size_t fusions, size_t others) {
  std::string out;
  if (fusions != 0) out += std::to_string(fusions) + (fusions == 1 ? " fusion" : " fusions");
  if (fusions != 0 && others != 0) out += " and ";
  if (others != 0) {
    out += std::to_string(others) + (others == 1 ? " unfused op" : " unfused ops");
  }
  return out.empty() ? "nothing" : out;
}

struct KernelGroup {
  std::vector<InstId> before, after;
};

// Of several copies of a value, those that have kept their name are taken to be the same.
void KeptFirst(const MatchedPrograms& programs, std::vector<InstId>& before,
               std::vector<InstId>& after) {
  std::set<std::string> old_names;
  std::set<std::string> new_names;
  for (const InstId inst : before) old_names.insert(Describer::NameOf(programs.a, inst));
  for (const InstId inst : after) new_names.insert(Describer::NameOf(programs.b, inst));
  const auto reorder = [](const Module& module, const std::set<std::string>& others,
                          std::vector<InstId>& insts) {
    std::vector<InstId> gone;
    std::vector<InstId> kept;
    for (const InstId inst : insts) {
      (others.contains(Describer::NameOf(module, inst)) ? kept : gone).push_back(inst);
    }
    kept.insert(kept.end(), gone.begin(), gone.end());
    insts = std::move(kept);
  };
  reorder(programs.a, new_names, before);
  reorder(programs.b, old_names, after);
}

}  // namespace

DiffCause& CauseList::Add(CauseKind kind, const std::string& what, int64_t bytes, DiffPlace place) {
  const auto [at, is_new] = known_.try_emplace({kind, what}, causes_.size());
  if (is_new) {
    causes_.emplace_back();
    causes_.back().kind = kind;
    causes_.back().what = what;
  }
  DiffCause& cause = causes_[at->second];
  ++cause.count;
  cause.bytes = AddCapped(cause.bytes, bytes);
  cause.places.push_back(std::move(place));
  return cause;
}

void AddFusionCauses(const MatchedPrograms& programs, CauseList& causes) {
  const Kernels a = KernelsOf(programs.a, programs.graph_a);
  const Kernels b = KernelsOf(programs.b, programs.graph_b);
  const auto count_a = static_cast<uint32_t>(a.insts.size());
  std::vector<uint32_t> parent(a.insts.size() + b.insts.size());
  std::iota(parent.begin(), parent.end(), 0u);
  std::vector<bool> is_used(parent.size(), false);
  const auto find = [&](uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (uint32_t x = 0; x < programs.classes_a.size(); ++x) {
    const uint32_t y = programs.match.to_b[x];
    if (y == kUnmatched || programs.classes_a.node(x).kind != ValueKind::kOp ||
        programs.classes_b.node(y).kind != ValueKind::kOp) {
      continue;
    }
    if (programs.classes_a.members(x).size() != 1 || programs.classes_b.members(y).size() != 1) {
      continue;
    }
    if (PropertiesOf(programs.classes_a.opcodes()[x]).cost == CostClass::kFree) continue;
    const uint32_t i = a.number[programs.classes_a.node(x).kernel.index()];
    const uint32_t j = count_a + b.number[programs.classes_b.node(y).kernel.index()];
    is_used[i] = is_used[j] = true;
    parent[std::max(find(i), find(j))] = std::min(find(i), find(j));
  }
  std::map<uint32_t, KernelGroup> groups;
  for (uint32_t i = 0; i < parent.size(); ++i) {
    if (!is_used[i]) continue;
    KernelGroup& group = groups[find(i)];
    if (i < count_a) {
      group.before.push_back(a.insts[i]);
    } else {
      group.after.push_back(b.insts[i - count_a]);
    }
  }
  for (const auto& [root, group] : groups) {
    const auto fused = [](const Module& module, const std::vector<InstId>& insts) {
      return static_cast<size_t>(std::count_if(
          insts.begin(), insts.end(), [&](InstId inst) { return IsFusion(module, inst); }));
    };
    const size_t old_fused = fused(programs.a, group.before);
    const size_t new_fused = fused(programs.b, group.after);
    const bool is_same = group.before.size() == 1 && group.after.size() == 1;
    if (is_same && old_fused == new_fused) continue;
    const std::string what = KernelText(old_fused, group.before.size() - old_fused) + " became " +
                             KernelText(new_fused, group.after.size() - new_fused);
    int64_t bytes = 0;
    for (const InstId inst : group.after) {
      bytes = AddCapped(bytes, Describer::BytesOf(programs.b, inst));
    }
    DiffCause& cause = causes.Add(CauseKind::kFusion, what, bytes,
                                  {.before = Describer::NameOf(programs.a, group.before.front()),
                                   .after = Describer::NameOf(programs.b, group.after.front())});
    for (size_t i = 1; i < std::max(group.before.size(), group.after.size()); ++i) {
      DiffPlace place;
      if (i < group.before.size()) place.before = Describer::NameOf(programs.a, group.before[i]);
      if (i < group.after.size()) place.after = Describer::NameOf(programs.b, group.after[i]);
      cause.places.push_back(std::move(place));
    }
  }
}

void AddRepeatCauses(const MatchedPrograms& programs, CauseList& causes) {
  for (uint32_t x = 0; x < programs.classes_a.size(); ++x) {
    const uint32_t y = programs.match.to_b[x];
    if (y == kUnmatched) continue;
    const size_t before = programs.classes_a.members(x).size();
    const size_t after = programs.classes_b.members(y).size();
    const ValueNode& old_node = programs.classes_a.node(x);
    if (before == after || old_node.kind == ValueKind::kParameter ||
        old_node.kind == ValueKind::kConstant) {
      continue;
    }
    const InstId inst = programs.classes_b.node(y).inst;
    const auto more = static_cast<int64_t>(std::max(before, after) - std::min(before, after));
    const std::string old_text = Describer::OpText(programs.a, programs.classes_a, x);
    const std::string new_text = Describer::OpText(programs.b, programs.classes_b, y);
    causes.Add(CauseKind::kRepeated,
               old_text + (old_text == new_text ? "" : ", now " + new_text + ",") +
                   (after > before ? " is computed more often" : " is computed less often"),
               MultiplyCapped(more, Describer::BytesOf(programs.b, inst)),
               {.before = Describer::NameOf(programs.a, old_node.inst),
                .after = Describer::NameOf(programs.b, inst)});
  }
}

void AddCopyCauses(const MatchedPrograms& programs, CauseList& causes) {
  // Copies of each matched value, by its class in A.
  std::map<uint32_t, std::pair<std::vector<InstId>, std::vector<InstId>>> copies;
  for (const MovedValue& copy : programs.graph_a.copies) {
    const uint32_t x = programs.classes_a.class_of(copy.value.node);
    if (programs.match.to_b[x] != kUnmatched) copies[x].first.push_back(copy.inst);
  }
  for (const MovedValue& copy : programs.graph_b.copies) {
    const uint32_t x = programs.match.to_a[programs.classes_b.class_of(copy.value.node)];
    if (x != kUnmatched) copies[x].second.push_back(copy.inst);
  }
  for (auto& [x, both] : copies) {
    auto& [before, after] = both;
    KeptFirst(programs, before, after);
    const std::string text = Describer::OpText(programs.a, programs.classes_a, x);
    for (size_t i = after.size(); i < before.size(); ++i) {
      causes.Add(CauseKind::kCopy, "a copy of " + text + " removed",
                 Describer::BytesOf(programs.a, before[i]),
                 {.before = Describer::NameOf(programs.a, before[i]), .after = {}});
    }
    for (size_t i = before.size(); i < after.size(); ++i) {
      causes.Add(CauseKind::kCopy, "a copy of " + text + " added",
                 Describer::BytesOf(programs.b, after[i]),
                 {.before = {}, .after = Describer::NameOf(programs.b, after[i])});
    }
  }
}

}  // namespace halo
