// Facts from the module: groups are its storage classes, needs follow from its instructions at the
// times of the flattened schedule, and permissions to overwrite follow from the meaning of the ops.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/ir/attributes/aliasing.h"
#include "halo/memory/check/check_facts.h"
#include "halo/memory/check/check_inplace.h"
#include "halo/memory/check/check_storage.h"
#include "halo/memory/check/check_times.h"

namespace halo::check {
namespace {

class ModuleFacts final : public Facts {
 public:
  ModuleFacts(const Assignment& assignment, const Module& module, CheckRules rules)
      : assignment_(assignment), module_(module), rules_(rules), storage_(module) {}

  bool Derive() {
    if (!storage_.usable() || !module_.entry.valid()) return false;
    const auto aliases = module_.IntsOf(module_.attrs, AttrKey::k_input_output_alias);
    for (AliasEntry& entry : DecodeAliases(aliases)) {
      given_.emplace(entry.number, std::move(entry.input_index));
    }
    JoinFlows(storage_, rules_);
    MapValues();
    times_ = TimesOf(assignment_, storage_);
    end = times_.end;
    knows_aliases = true;
    FindNeeds();
    FindLiveOut();
    FindUnplaced();
    return true;
  }

  [[nodiscard]] Permission MayReplace(ValueId dying, ValueId born, int64_t offset) const override {
    const uint32_t node = nodes_[born.index()];
    if (node == Storage::kNoNode || nodes_[dying.index()] == Storage::kNoNode) {
      return Permission::kUnproven;
    }
    if (!storage_.writes(node)) return Permission::kYes;
    const Inst& inst = module_.inst(insts_[born.index()]);
    const uint32_t group = groups[dying.index()];
    bool used = false;
    const auto operands = module_.operands_of(inst);
    for (uint32_t k = 0; k < operands.size(); ++k) {
      if (!operands[k].valid()) continue;
      const uint32_t first = storage_.first(operands[k]);
      for (uint32_t i = 0; i < storage_.count(operands[k]); ++i) {
        if (storage_.Class(first + i) != group) continue;
        used = true;
        // Only the array itself can be overwritten element by element.
        const auto position =
            i == 0 ? MayOverwrite(module_, inst, Steps(born), k, rules_) : std::nullopt;
        if (position != offset) return Permission::kNo;
      }
    }
    return used ? Permission::kYes : Permission::kNo;
  }

  // Walks up from the computation of `born` to the conditionals that run it.
  [[nodiscard]] Later IsReadAfter(uint32_t group, ValueId born,
                                  const LiveRange& live) const override {
    constexpr int kMostCallers = 16;
    if (!knows_needs || nodes_[born.index()] == Storage::kNoNode) return Later::kYes;
    CompId comp = module_.inst(insts_[born.index()]).parent;
    for (int i = 0; i < kMostCallers; ++i) {
      if (storage_.role(comp) != CompRole::kSequential || callers_[comp.index()].size() != 1) break;
      const Inst& caller = module_.inst(callers_[comp.index()][0]);
      if (caller.opcode == Opcode::kConditional) {
        const Later later = IsReadBeside(group, comp, CalledComps(module_, caller), live);
        if (later != Later::kYes) return later;
      }
      comp = caller.parent;
    }
    return Later::kYes;
  }

  [[nodiscard]] int64_t DefinedAt(ValueId value) const override {
    const uint32_t node = nodes_[value.index()];
    if (node == Storage::kNoNode || !storage_.writes(node)) return -1;
    const InstId inst = insts_[value.index()];
    return module_.inst(inst).opcode == Opcode::kParameter
               ? times_.starts[module_.inst(inst).parent.index()]
               : times_.of[inst.index()];
  }

  [[nodiscard]] std::optional<bool> IsKeptParameter(const Allocation& allocation) const override {
    if (allocation.parameter < 0) return false;
    const auto index = assignment_.index(allocation.parameter_index);
    return !given_.contains({allocation.parameter, {index.begin(), index.end()}});
  }

  [[nodiscard]] std::optional<bool> IsThreadLocal(ValueId value) const override {
    if (nodes_[value.index()] == Storage::kNoNode) return std::nullopt;
    return storage_.role(module_.inst(insts_[value.index()])) == CompRole::kEmbedded;
  }

  [[nodiscard]] std::optional<bool> IsAsyncCall(ValueId value) const override {
    if (nodes_[value.index()] == Storage::kNoNode) return std::nullopt;
    const Opcode opcode = module_.inst(insts_[value.index()]).opcode;
    return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate;
  }

  [[nodiscard]] std::optional<ShapeId> ShapeOf(ValueId value) const override {
    const uint32_t node = nodes_[value.index()];
    if (node == Storage::kNoNode) return std::nullopt;
    return storage_.shape(node);
  }
  [[nodiscard]] const ShapeTable* shapes() const override { return &module_.shapes; }
  [[nodiscard]] bool IsKnown(ValueId value) const override {
    return nodes_[value.index()] != Storage::kNoNode;
  }

 private:
  [[nodiscard]] std::span<const int64_t> Steps(ValueId value) const {
    return indices_[value.index()];
  }

  void MapValues() {
    std::unordered_map<std::string_view, InstId> by_name;
    by_name.reserve(module_.insts.size());
    for (size_t i = 0; i < module_.insts.size(); ++i) {
      const Inst& inst = module_.insts[i];
      if (storage_.first(InstId(i)) != Storage::kNoNode) {
        by_name.try_emplace(module_.name_of(inst), InstId(i));
      }
    }
    const auto find = [&](TextId name, IndexId index) -> std::pair<InstId, uint32_t> {
      const auto at = by_name.find(assignment_.text(name));
      if (at == by_name.end()) return {{}, Storage::kNoNode};
      return {at->second, storage_.Node(at->second, assignment_.index(index))};
    };
    const size_t count = assignment_.values.size();
    nodes_.assign(count, Storage::kNoNode);
    insts_.resize(count);
    indices_.resize(count);
    groups.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const AssignedValue& value = assignment_.values[i];
      auto found = find(value.instruction, value.index);
      IndexId index = value.index;
      // The instruction inside an async op written in shorthand has no name in the module.
      for (const ValuePosition& position : assignment_.positions_of(value)) {
        if (found.second != Storage::kNoNode) break;
        found = find(position.instruction, position.index);
        index = position.index;
      }
      insts_[i] = found.first;
      nodes_[i] = found.second;
      indices_[i] = assignment_.index(index);
      groups[i] = found.second == Storage::kNoNode
                      ? storage_.node_count() + static_cast<uint32_t>(i)
                      : storage_.Class(found.second);
    }
  }

  void Read(std::vector<Access>& out, InstId inst, int64_t time, bool top_only = false) {
    if (!inst.valid() || time < 0 || storage_.first(inst) == Storage::kNoNode) return;
    const uint32_t count = top_only ? 1 : storage_.count(inst);
    const bool at_once = times_.at_once[module_.inst(inst).parent.index()];
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t node = storage_.first(inst) + i;
      // It is written at the same time at which it is read; the body orders the two.
      if (at_once && storage_.writes(node) && times_.of[inst.index()] == time) continue;
      out.push_back({storage_.Class(node), time, AccessKind::kRead});
    }
  }

  // IsReadAfter in runs that take one of the branches.
  [[nodiscard]] Later IsReadBeside(uint32_t group, CompId taken,
                                   const std::vector<CompId>& branches,
                                   const LiveRange& live) const {
    constexpr size_t kMostBranches = 16;
    if (branches.size() > kMostBranches) return Later::kYes;
    const auto skips_to = [&](int64_t time) {
      for (const CompId each : branches) {
        const int64_t end = times_.ends[each.index()];
        if (each != taken && times_.starts[each.index()] <= time && time < end) return end;
      }
      return time;
    };
    const auto at_or_after = [&](int64_t time) {
      return std::ranges::lower_bound(
          accesses_, std::pair(group, time), {},
          [](const Access& each) { return std::pair(each.group, each.time); });
    };
    Later later = Later::kNever;
    auto at = at_or_after(live.start);
    while (at != accesses_.end() && at->group == group) {
      if (const int64_t end = skips_to(at->time); end != at->time) {
        at = at_or_after(end);
        continue;
      }
      if (at->kind == AccessKind::kRead && at->time == live.start) {
        later = Later::kAtOnce;
        ++at;
        continue;
      }
      // What is written before the other value's life ends would destroy that one.
      const bool is_over = at->kind == AccessKind::kWrite && at->time > live.end;
      return is_over ? later : Later::kYes;
    }
    return later;
  }

  void ReadsOf(std::vector<Access>& out, const Inst& inst, const std::vector<CompId>& called,
               int64_t time) {
    const auto operands = module_.operands_of(inst);
    switch (inst.opcode) {
      case Opcode::kBitcast:
      case Opcode::kTuple:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kOptimizationBarrier:
      case Opcode::kCall: return;  // forwards; the actual reader counts
      case Opcode::kGetTupleElement:
      case Opcode::kCopy:
        if (!operands.empty()) Read(out, operands[0], time, true);
        return;
      case Opcode::kWhile: {
        // From the first iteration on, the loop's own values carry the contents.
        const Attr* body = module_.Find(inst, AttrKey::k_body);
        const bool known = body != nullptr && body->value < times_.starts.size();
        if (!operands.empty()) Read(out, operands[0], known ? times_.starts[body->value] : time);
        return;
      }
      case Opcode::kConditional:
        for (size_t k = 0; k < operands.size(); ++k) {
          const size_t branch = k == 0 ? 0 : k - 1;
          Read(out, operands[k],
               branch < called.size() ? times_.starts[called[branch].index()] : time);
        }
        return;
      default:
        for (const InstId operand : operands) Read(out, operand, time);
    }
  }

  void FindNeeds() {
    // Guards against large tuples that are read repeatedly; beyond this the live ranges are taken
    // as printed.
    const size_t limit = (size_t{1} << 20) + 64 * module_.insts.size();
    std::vector<Access>& accesses = accesses_;
    callers_.resize(module_.comps.size());
    for (const CompId id : module_.order) {
      if (storage_.role(id) != CompRole::kSequential) continue;
      const Computation& comp = module_.comp(id);
      const int64_t start = times_.starts[id.index()];
      for (uint32_t i = 0; i < comp.count; ++i) {
        const InstId inst_id(comp.first + i);
        const Inst& inst = module_.inst(inst_id);
        const std::vector<CompId> called = CalledComps(module_, inst);
        for (const CompId each : called) {
          if (callers_[each.index()].size() < 2) callers_[each.index()].push_back(inst_id);
        }
        const int64_t time = times_.of[inst_id.index()];
        if (time < 0) continue;
        const bool given = inst.opcode == Opcode::kParameter;
        const Access write{0, given ? start : time,
                           given ? AccessKind::kGiven : AccessKind::kWrite};
        for (uint32_t n = 0; n < storage_.count(inst_id); ++n) {
          const uint32_t node = storage_.first(inst_id) + n;
          if (!storage_.writes(node)) continue;
          accesses.push_back({storage_.Class(node), write.time, write.kind});
        }
        ReadsOf(accesses, inst, called, time);
        if (accesses.size() > limit) {
          knows_needs = false;
          return;
        }
      }
      Read(accesses, comp.root, times_.ends[id.index()]);
    }
    KeepParameters(accesses);
    NeedsOf(accesses, *this);
  }

  // Parameters that the caller did not donate must be unchanged at the end.
  void KeepParameters(std::vector<Access>& accesses) {
    const Computation& entry = module_.comp(module_.entry);
    for (uint32_t i = 0; i < entry.count; ++i) {
      const InstId id(entry.first + i);
      const Inst& inst = module_.inst(id);
      if (inst.opcode != Opcode::kParameter || times_.of[id.index()] < 0) continue;
      std::vector<bool> given(storage_.count(id), false);
      for (auto at = given_.lower_bound({inst.extra, {}});
           at != given_.end() && at->first == inst.extra; ++at) {
        const uint32_t node = storage_.Node(id, at->second);
        if (node != Storage::kNoNode) given[node - storage_.first(id)] = true;
      }
      for (uint32_t n = 0; n < given.size(); ++n) {
        if (!given[n]) {
          accesses.push_back({storage_.Class(storage_.first(id) + n), end, AccessKind::kRead});
        }
      }
    }
  }

  void FindLiveOut() {
    const InstId root = module_.comp(module_.entry).root;
    if (!root.valid()) return;
    std::vector<bool> returned(storage_.node_count(), false);
    for (uint32_t i = 0; i < storage_.count(root); ++i) {
      returned[storage_.Class(storage_.first(root) + i)] = true;
    }
    for (uint32_t v = 0; v < nodes_.size(); ++v) {
      if (nodes_[v] != Storage::kNoNode && returned[groups[v]]) live_out.push_back(v);
    }
  }

  void FindUnplaced() {
    std::vector<bool> placed(storage_.node_count(), false);
    bool constants = false;
    for (size_t v = 0; v < nodes_.size(); ++v) {
      if (nodes_[v] != Storage::kNoNode && assignment_.values[v].allocation.valid()) {
        placed[groups[v]] = true;
        constants |= module_.inst(insts_[v]).opcode == Opcode::kConstant;
      }
    }
    for (const CompId id : module_.order) {
      const Computation& comp = module_.comp(id);
      // Other threads plan their own memory.
      if (storage_.role(id) != CompRole::kSequential || comp.execution_thread.valid()) continue;
      for (uint32_t i = 0; i < comp.count; ++i) {
        const InstId inst(comp.first + i);
        if (module_.inst(inst).opcode == Opcode::kConstant && !constants) continue;
        if (times_.of[inst.index()] >= 0) FindUnplacedOf(inst, placed);
      }
    }
  }

  void FindUnplacedOf(InstId inst, std::vector<bool>& placed) {
    for (uint32_t n = 0; n < storage_.count(inst); ++n) {
      const uint32_t node = storage_.first(inst) + n;
      const ShapeId shape = storage_.shape(node);
      if (!storage_.writes(node) || !module_.shapes.is_array(shape)) continue;
      const int64_t bytes = module_.shapes.ByteSize(shape).value_or(0);
      if (bytes <= 0 || placed[storage_.Class(node)]) continue;
      placed[storage_.Class(node)] = true;  // report it once
      unplaced.push_back({std::string(module_.name_of(module_.inst(inst))), bytes});
    }
  }

  const Assignment& assignment_;
  const Module& module_;
  CheckRules rules_;
  Storage storage_;
  ModuleTimes times_;
  std::vector<Access> accesses_;                              // by group and time
  std::vector<std::vector<InstId>> callers_;                  // by computation; the first two
  std::set<std::pair<int64_t, std::vector<int64_t>>> given_;  // parameters that outputs may take
  std::vector<uint32_t> nodes_;                               // by value
  std::vector<InstId> insts_;
  std::vector<std::span<const int64_t>> indices_;
};

}  // namespace

std::unique_ptr<Facts> FactsOfModule(const Assignment& assignment, const Module& module,
                                     CheckRules rules) {
  auto facts = std::make_unique<ModuleFacts>(assignment, module, rules);
  if (!facts->Derive()) return nullptr;
  return facts;
}

}  // namespace halo::check
