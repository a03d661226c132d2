// Views of modules: everything is looked up in the module, nothing is copied.
#include "haloscope/module.h"

#include <algorithm>

#include "halo/memory/explain/origins.h"
#include "halo/public/document_state.h"
#include "halo/text/write/write_text.h"

namespace halo::v0 {
namespace {

const Module& ModuleOf(const std::shared_ptr<const DocumentState>& state, uint32_t module) {
  return state->document->modules[module].module;
}

}  // namespace

std::string_view InstructionView::name() const {
  const Module& module = ModuleOf(state_, module_);
  return module.name_of(module.insts[id_]);
}

std::string_view InstructionView::opcode() const {
  const Module& module = ModuleOf(state_, module_);
  return module.opcode_text(module.insts[id_]);
}

std::string InstructionView::shape() const {
  const Module& module = ModuleOf(state_, module_);
  return module.shapes.Text(module.insts[id_].shape);
}

std::optional<int64_t> InstructionView::byte_size() const {
  const Module& module = ModuleOf(state_, module_);
  return module.shapes.ByteSize(module.insts[id_].shape);
}

std::optional<int64_t> InstructionView::parameter_number() const {
  const Inst& inst = ModuleOf(state_, module_).insts[id_];
  if (inst.opcode != Opcode::kParameter) return std::nullopt;
  return inst.extra;
}

std::string_view InstructionView::op_name() const {
  return OriginOf(ModuleOf(state_, module_), InstId(id_)).op_name;
}

std::string InstructionView::source() const {
  const Origin origin = OriginOf(ModuleOf(state_, module_), InstId(id_));
  if (origin.file.empty()) return {};
  return std::string(origin.file) + ":" + std::to_string(origin.line);
}

std::string InstructionView::text() const {
  const Module& module = ModuleOf(state_, module_);
  return InstructionText(module, InstId(id_), module.style);
}

bool InstructionView::is_root() const {
  const Module& module = ModuleOf(state_, module_);
  const CompId parent = module.insts[id_].parent;
  return parent.valid() && module.comp(parent).root == InstId(id_);
}

std::vector<InstructionView> InstructionView::operands() const {
  const Module& module = ModuleOf(state_, module_);
  std::vector<InstructionView> views;
  for (const InstId operand : module.operands_of(module.insts[id_])) {
    if (operand.valid()) views.push_back({state_, module_, operand.value});
  }
  return views;
}

std::vector<InstructionView> InstructionView::users() const {
  std::vector<InstructionView> views;
  for (const InstId user : state_->UsersOf(module_).of(InstId(id_))) {
    views.push_back({state_, module_, user.value});
  }
  return views;
}

std::vector<ComputationView> InstructionView::called_computations() const {
  const Module& module = ModuleOf(state_, module_);
  std::vector<CompId> called;
  module.CalledBy(module.insts[id_], called);
  std::vector<ComputationView> views;
  for (const CompId each : called) {
    if (each.valid()) views.push_back({state_, module_, each.value});
  }
  return views;
}

ComputationView InstructionView::computation() const {
  return {state_, module_, ModuleOf(state_, module_).insts[id_].parent.value};
}

std::string_view ComputationView::name() const {
  const Module& module = ModuleOf(state_, module_);
  return module.text(module.comps[id_].name);
}

bool ComputationView::is_entry() const { return ModuleOf(state_, module_).comps[id_].is_entry; }

size_t ComputationView::instruction_count() const {
  return ModuleOf(state_, module_).comps[id_].count;
}

std::vector<InstructionView> ComputationView::instructions() const {
  const Computation& computation = ModuleOf(state_, module_).comps[id_];
  std::vector<InstructionView> views;
  views.reserve(computation.count);
  for (uint32_t i = 0; i < computation.count; ++i) {
    views.push_back({state_, module_, computation.first + i});
  }
  return views;
}

std::optional<InstructionView> ComputationView::root() const {
  const InstId root = ModuleOf(state_, module_).comps[id_].root;
  if (!root.valid()) return std::nullopt;
  return InstructionView(state_, module_, root.value);
}

std::string_view ModuleView::name() const {
  const Module& module = ModuleOf(state_, id_);
  return module.text(module.name);
}

bool ModuleView::is_scheduled() const { return ModuleOf(state_, id_).is_scheduled(); }

int64_t ModuleView::replica_count() const {
  const Module& module = ModuleOf(state_, id_);
  return module.IntOr(module.attrs, AttrKey::k_replica_count, 1);
}

int64_t ModuleView::num_partitions() const {
  const Module& module = ModuleOf(state_, id_);
  return module.IntOr(module.attrs, AttrKey::k_num_partitions, 1);
}

size_t ModuleView::instruction_count() const { return ModuleOf(state_, id_).instruction_count(); }

std::vector<ComputationView> ModuleView::computations() const {
  std::vector<ComputationView> views;
  for (const CompId each : ModuleOf(state_, id_).order) views.push_back({state_, id_, each.value});
  return views;
}

std::optional<ComputationView> ModuleView::entry() const {
  const CompId entry = ModuleOf(state_, id_).entry;
  if (!entry.valid()) return std::nullopt;
  return ComputationView(state_, id_, entry.value);
}

std::optional<InstructionView> ModuleView::Find(std::string_view name) const {
  const Module& module = ModuleOf(state_, id_);
  const auto found = std::find_if(module.insts.begin(), module.insts.end(),
                                  [&](const Inst& inst) { return module.name_of(inst) == name; });
  if (found == module.insts.end()) return std::nullopt;
  return InstructionView(state_, id_, static_cast<uint32_t>(found - module.insts.begin()));
}

std::string ModuleView::text() const { return HloText(ModuleOf(state_, id_)); }

}  // namespace halo::v0
