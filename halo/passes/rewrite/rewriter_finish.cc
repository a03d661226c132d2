// Lays out an edited module: what is live, in which order, with which names and numbers. Walks the
// module once or twice, without recursion.
#include <charconv>
#include <string>
#include <unordered_set>

#include "halo/base/check.h"
#include "halo/passes/rewrite/effects.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// "add.12" without its number.
std::string_view WithoutNumber(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return name;
  for (const char c : name.substr(dot + 1)) {
    if (c < '0' || c > '9') return name;
  }
  return name.substr(0, dot);
}

// Generates unused names.
class Names {
 public:
  void Take(std::string_view name) { taken_.emplace(name); }
  std::string Make(std::string_view wanted) {
    if (taken_.emplace(wanted).second) return std::string(wanted);
    const std::string base(WithoutNumber(wanted));
    size_t& next = next_[base];
    for (;;) {
      std::string name = base + "." + std::to_string(++next);
      if (taken_.insert(name).second) return name;
    }
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> next_;
};

}  // namespace

void ModuleEditor::MarkLive(InstId id, std::vector<InstId>& work) {
  id = Current(id);
  HALO_CHECK(fates_[id.index()] == Fate::kKept);
  if (live_[id.index()]) return;
  live_[id.index()] = true;
  work.push_back(id);
}

void ModuleEditor::ReachComputation(CompId comp, std::vector<InstId>& work) {
  if (live_comps_[comp.index()]) return;
  live_comps_[comp.index()] = true;
  if (!module_.comp(comp).defined) return;
  MarkLive(module_.comp(comp).root, work);
  for (const InstId id : instructions(comp)) {
    const Inst& inst = module_.inst(id);
    if (inst.opcode == Opcode::kParameter || HasEffect(module_, inst, with_effects_)) {
      MarkLive(id, work);
    }
  }
}

void ModuleEditor::FindLive() {
  with_effects_ = ComputationsWithEffects(module_);
  live_.assign(module_.insts.size(), false);
  live_comps_.assign(module_.comps.size(), false);
  std::vector<InstId> work;
  std::vector<CompId> called;
  ReachComputation(module_.entry, work);
  while (!work.empty()) {
    const InstId id = work.back();
    work.pop_back();
    for (const InstId operand : module_.operands_of(module_.inst(id))) MarkLive(operand, work);
    const auto placed = placed_before_.find(id.value);
    if (placed != placed_before_.end()) {
      for (const InstId each : placed->second) MarkLive(each, work);
    }
    called.clear();
    module_.CalledBy(module_.inst(id), called);
    for (const CompId comp : called) ReachComputation(comp, work);
  }
}

// Emits everything an instruction needs, then the instruction itself.
void ModuleEditor::Visit(InstId start) {
  stack_.push_back(start);
  while (!stack_.empty()) {
    const InstId id = stack_.back();
    if (state_[id.index()] == 2) {
      stack_.pop_back();
      continue;
    }
    if (state_[id.index()] == 1) {
      state_[id.index()] = 2;
      order_.push_back(id);
      stack_.pop_back();
      continue;
    }
    state_[id.index()] = 1;
    const Inst& inst = module_.inst(id);
    const auto need = [&](InstId before) {
      before = Current(before);
      if (!live_[before.index()] || module_.inst(before).parent != inst.parent) return;
      HALO_CHECK(state_[before.index()] != 1 || before == id);
      if (state_[before.index()] == 0) stack_.push_back(before);
    };
    const auto operands = module_.operands_of(inst);
    for (size_t i = operands.size(); i-- > 0;) need(operands[i]);
    const auto before = module_.IntsOf(inst.attrs, AttrKey::k_control_predecessors);
    for (size_t i = before.size(); i-- > 0;) need(InstId(static_cast<uint32_t>(before[i])));
    const auto placed = placed_before_.find(id.value);
    if (placed == placed_before_.end()) continue;
    for (size_t i = placed->second.size(); i-- > 0;) need(placed->second[i]);
  }
}

void ModuleEditor::OrderInstructions(CompId comp) {
  const Computation& computation = module_.comp(comp);
  for (uint32_t i = 0; i < computation.count; ++i) {
    const InstId id(computation.first + i);
    if (fates_[id.index()] == Fate::kDropped) continue;
    const InstId now = Current(id);
    if (live_[now.index()] && module_.inst(now).parent == comp) Visit(now);
  }
  for (const InstId id : added_[comp.index()]) {
    if (live_[id.index()]) Visit(id);
  }
}

// Callees before callers, otherwise in the old order; the entry last.
void ModuleEditor::OrderComputations() {
  std::vector<std::vector<CompId>> callees(module_.comps.size());
  for (size_t i = 0; i < module_.insts.size(); ++i) {
    if (live_[i]) module_.CalledBy(module_.insts[i], callees[module_.insts[i].parent.index()]);
  }
  std::vector<uint8_t> state(module_.comps.size(), 0);
  std::vector<CompId> stack;
  const auto visit = [&](CompId start) {
    if (!live_comps_[start.index()]) return;
    stack.push_back(start);
    while (!stack.empty()) {
      const CompId comp = stack.back();
      if (state[comp.index()] != 0) {
        if (state[comp.index()] == 1) comp_order_.push_back(comp);
        state[comp.index()] = 2;
        stack.pop_back();
        continue;
      }
      state[comp.index()] = 1;
      const std::vector<CompId>& needs = callees[comp.index()];
      for (size_t i = needs.size(); i-- > 0;) {
        if (state[needs[i].index()] == 0) stack.push_back(needs[i]);
      }
    }
  };
  for (const CompId comp : module_.order) {
    if (comp != module_.entry) visit(comp);
  }
  visit(module_.entry);
}

void ModuleEditor::NameNewOnes() {
  bool any = false;
  Names names;
  for (const InstId id : order_) {
    // What is written about a compiled program names the elements of tuples that its text only
    // implied.
    if ((module_.inst(id).flags & kInstImplicit) != 0) {
      module_.insts[id.index()].flags &= static_cast<uint8_t>(~kInstImplicit);
      unnamed_[id.index()] = true;
    }
    if (unnamed_[id.index()]) {
      any = true;
    } else {
      names.Take(module_.name_of(module_.inst(id)));
    }
  }
  if (any) {
    for (const InstId id : order_) {
      if (!unnamed_[id.index()]) continue;
      const std::string_view wanted = module_.name_of(module_.inst(id));
      const std::string name =
          names.Make(wanted.empty() ? TextOf(module_.inst(id).opcode) : wanted);
      module_.insts[id.index()].name = module_.AddName(name);
    }
  }
  Names comp_names;
  for (const CompId comp : comp_order_) {
    Computation& computation = module_.comps[comp.index()];
    const std::string name = comp_names.Make(module_.text(computation.name));
    if (name != module_.text(computation.name)) computation.name = module_.AddName(name);
  }
}

// The attribute list with the new numbers of computations and instructions.
AttrListId ModuleEditor::Renamed(AttrListId list) {
  const auto known = renamed_.find(list.value);
  if (known != renamed_.end()) return known->second;
  const std::span<const Attr> stored = module_.attrs_of(list);
  std::vector<Attr> attrs(stored.begin(), stored.end());
  bool changed = false;
  for (Attr& attr : attrs) {
    const AttrKind kind = InfoOf(attr.key).kind;
    if (kind == AttrKind::kComp) {
      attr.value = new_comp_[attr.value].value;
      changed = true;
    }
    if (kind != AttrKind::kCompList && kind != AttrKind::kInsts) continue;
    std::vector<int64_t> ids;
    for (const int64_t each : module_.list(attr.value)) {
      const auto id = static_cast<uint32_t>(each);
      if (kind == AttrKind::kCompList) {
        ids.push_back(new_comp_[id].value);
        continue;
      }
      const InstId now = fates_[id] == Fate::kDropped ? InstId() : Current(InstId(id));
      if (now.valid() && new_inst_[now.index()].valid()) {
        ids.push_back(new_inst_[now.index()].value);
      }
    }
    attr.value = module_.Ints(ids).value;
    changed = true;
  }
  std::erase_if(attrs, [&](const Attr& attr) {
    return attr.key == AttrKey::k_control_predecessors && module_.list(attr.value).empty();
  });
  return renamed_[list.value] = changed ? module_.Attrs(attrs) : list;
}

void ModuleEditor::Rebuild() {
  new_inst_.assign(module_.insts.size(), InstId());
  new_comp_.assign(module_.comps.size(), CompId());
  for (size_t i = 0; i < order_.size(); ++i) new_inst_[order_[i].index()] = InstId(i);
  for (size_t i = 0; i < comp_order_.size(); ++i) new_comp_[comp_order_[i].index()] = CompId(i);

  FlatVector<Inst> insts;
  FlatVector<InstId> operands;
  insts.reserve(order_.size());
  for (const InstId id : order_) {
    Inst inst = module_.inst(id);
    const auto begin = static_cast<uint32_t>(operands.size());
    for (const InstId operand : module_.operands_of(inst)) {
      operands.push_back(new_inst_[Current(operand).index()]);
    }
    inst.operands_begin = begin;
    inst.attrs = Renamed(inst.attrs);
    inst.parent = new_comp_[inst.parent.index()];
    insts.push_back(inst);
  }
  std::vector<Computation> comps;
  for (size_t i = 0; i < comp_order_.size(); ++i) {
    Computation comp = module_.comp(comp_order_[i]);
    comp.first = begins_[i];
    comp.count = begins_[i + 1] - begins_[i];
    if (comp.root.valid()) comp.root = new_inst_[Current(comp.root).index()];
    comps.push_back(comp);
  }
  module_.entry = new_comp_[module_.entry.index()];
  module_.insts = std::move(insts);
  module_.operands = std::move(operands);
  module_.comps = std::move(comps);
  module_.order.clear();
  for (size_t i = 0; i < comp_order_.size(); ++i) module_.order.emplace_back(i);
}

Module ModuleEditor::Finish() {
  if (!changed_) return std::move(module_);
  FindLive();
  OrderComputations();
  state_.assign(module_.insts.size(), 0);
  for (const CompId comp : comp_order_) {
    begins_.push_back(static_cast<uint32_t>(order_.size()));
    OrderInstructions(comp);
  }
  begins_.push_back(static_cast<uint32_t>(order_.size()));
  NameNewOnes();
  Rebuild();
  return std::move(module_);
}

}  // namespace halo
