// Kernels and copies. Kernels that share values are gathered: "1 fusion became 2". A value that is
// computed in several kernels of a program, or that costs nothing, says nothing about which kernels
// correspond.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

// Kernels of both programs that compute the same values.
struct KernelGroup {
  std::vector<InstId> before, after;
};

class KernelGrouper {
 public:
  explicit KernelGrouper(const MatchedPrograms& programs)
      : programs_(programs),
        a_(KernelsOf(programs.a, programs.graph_a)),
        b_(KernelsOf(programs.b, programs.graph_b)),
        parent_(a_.insts.size() + b_.insts.size()),
        is_grouped_(parent_.size(), false) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  // Without groups of one kernel on each side that is still a fusion, or still none.
  std::vector<KernelGroup> Groups() {
    Visit([&](uint32_t x, uint32_t y) {
      if (programs_.classes_a.members(x).size() == 1 &&
          programs_.classes_b.members(y).size() == 1) {
        Join(NumberOf(programs_.classes_a.node(x), false),
             NumberOf(programs_.classes_b.node(y), true));
      }
    });
    std::map<uint32_t, std::vector<uint32_t>> groups;
    for (uint32_t i = 0; i < parent_.size(); ++i) {
      if (is_grouped_[i]) groups[Find(i)].push_back(i);
    }
    for (auto at = groups.begin(); at != groups.end();) {
      at = IsSame(at->second) ? groups.erase(at) : std::next(at);
    }
    std::vector<KernelGroup> out;
    for (const auto& [root, members] : groups) {
      KernelGroup& group = out.emplace_back();
      for (const uint32_t kernel : members) {
        (kernel < a_.insts.size() ? group.before : group.after).push_back(InstOf(kernel));
      }
    }
    return out;
  }

 private:
  // Calls take(x, y) for matched values that cost something to compute.
  template <class Take>
  void Visit(const Take& take) {
    for (uint32_t x = 0; x < programs_.classes_a.size(); ++x) {
      const uint32_t y = programs_.match.to_b[x];
      if (y == kUnmatched || programs_.classes_a.node(x).kind != ValueKind::kOp ||
          programs_.classes_b.node(y).kind != ValueKind::kOp ||
          PropertiesOf(programs_.classes_a.opcodes()[x]).cost == CostClass::kFree) {
        continue;
      }
      take(x, y);
    }
  }

  // Kernels of A come before those of B.
  [[nodiscard]] uint32_t NumberOf(const ValueNode& node, bool is_after) const {
    return is_after ? static_cast<uint32_t>(a_.insts.size()) + b_.number[node.kernel.index()]
                    : a_.number[node.kernel.index()];
  }
  [[nodiscard]] InstId InstOf(uint32_t kernel) const {
    return kernel < a_.insts.size() ? a_.insts[kernel] : b_.insts[kernel - a_.insts.size()];
  }

  uint32_t Find(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(uint32_t i, uint32_t j) {
    is_grouped_[i] = is_grouped_[j] = true;
    parent_[std::max(Find(i), Find(j))] = std::min(Find(i), Find(j));
  }

  [[nodiscard]] bool IsSame(const std::vector<uint32_t>& members) const {
    return members.size() == 2 &&
           IsFusion(programs_.a, InstOf(members[0])) == IsFusion(programs_.b, InstOf(members[1]));
  }

  const MatchedPrograms& programs_;
  Kernels a_, b_;
  std::vector<uint32_t> parent_;
  std::vector<bool> is_grouped_;
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
  for (const KernelGroup& group : KernelGrouper(programs).Groups()) {
    const auto fused = [](const Module& module, const std::vector<InstId>& insts) {
      return static_cast<size_t>(std::count_if(
          insts.begin(), insts.end(), [&](InstId inst) { return IsFusion(module, inst); }));
    };
    const size_t old_fused = fused(programs.a, group.before);
    const size_t new_fused = fused(programs.b, group.after);
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
    cause.kernels_before.insert(cause.kernels_before.end(), group.before.begin(),
                                group.before.end());
    cause.kernels_after.insert(cause.kernels_after.end(), group.after.begin(), group.after.end());
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
    DiffCause& cause =
        causes.Add(CauseKind::kRepeated,
                   old_text + (old_text == new_text ? "" : ", now " + new_text + ",") +
                       (after > before ? " is computed more often" : " is computed less often"),
                   MultiplyCapped(more, Describer::BytesOf(programs.b, inst)),
                   {.before = Describer::NameOf(programs.a, old_node.inst),
                    .after = Describer::NameOf(programs.b, inst)});
    AppendKernels(programs.classes_a, x, cause.kernels_before);
    AppendKernels(programs.classes_b, y, cause.kernels_after);
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
      DiffCause& cause =
          causes.Add(CauseKind::kCopy, "a copy of " + text + " removed",
                     Describer::BytesOf(programs.a, before[i]),
                     {.before = Describer::NameOf(programs.a, before[i]), .after = {}});
      cause.kernels_before.push_back(before[i]);
    }
    for (size_t i = before.size(); i < after.size(); ++i) {
      DiffCause& cause =
          causes.Add(CauseKind::kCopy, "a copy of " + text + " added",
                     Describer::BytesOf(programs.b, after[i]),
                     {.before = {}, .after = Describer::NameOf(programs.b, after[i])});
      cause.kernels_after.push_back(after[i]);
    }
  }
}

}  // namespace halo
