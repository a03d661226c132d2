// Reads the computations of a module. Instructions are numbered before any is created, so that
// operands may refer to them in any order.
#include "halo/proto/read/read_module_proto.h"

#include <algorithm>
#include <numeric>

#include "halo/ir/ir_diagnostics.h"
#include "halo/proto/read/read_attributes.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {
namespace {

constexpr uint32_t kNowhere = 0xFFFFFFFFu;
constexpr int64_t kMaxParameters = 1 << 24;
constexpr size_t kSmallestInstruction = 8;  // a name, an opcode and a shape, one byte each

// An id has its computation's id in the upper half; the lower half counts within the computation.
uint32_t LocalId(int64_t id) { return static_cast<uint32_t>(id); }

// Opcodes of comparisons before they had a direction.
std::string_view OldComparison(std::string_view opcode) {
  if (opcode == "equal-to") return "EQ";
  if (opcode == "not-equal-to") return "NE";
  if (opcode == "greater-than-or-equal-to") return "GE";
  if (opcode == "greater-than") return "GT";
  if (opcode == "less-than-or-equal-to") return "LE";
  if (opcode == "less-than") return "LT";
  return {};
}

}  // namespace

bool ModuleReader::Read(std::string_view proto) {
  comps_.reserve(CountFields(proto, pb::HloModuleProto::k_computations));
  bool good = ReadFields(proto);
  if (comps_.empty()) {
    if (!good) return false;
    return context_.Report(diag::kProtoMissingField, proto, "this module has no computations");
  }
  module_.name = module_.Str(name_);
  ReadSchedule(schedule_);
  for (uint32_t i = 0; i < comps_.size(); ++i) {
    Computation comp;
    comp.name = module_.Str(comps_[i].name);
    comp.defined = true;
    if (!comps_[i].thread.empty() && comps_[i].thread != "main") {
      comp.execution_thread = module_.Str(comps_[i].thread);
    }
    module_.comps.push_back(comp);
    if (!comp_of_.emplace(comps_[i].id, CompId(i)).second) {
      good = context_.Report(diag::kProtoDuplicateId, comps_[i].name,
                             "two computations have the id " + std::to_string(comps_[i].id));
    }
  }
  FindEntry();
  calls_.resize(comps_.size());
  for (uint32_t i = 0; i < comps_.size(); ++i) good = ReadComputation(i) && good;
  std::vector<uint32_t> by_id(comps_.size());
  std::iota(by_id.begin(), by_id.end(), 0u);
  std::sort(by_id.begin(), by_id.end(), [this](uint32_t a, uint32_t b) {
    return comps_[a].id != comps_[b].id ? comps_[a].id < comps_[b].id : a < b;
  });
  for (const uint32_t comp : ComputationPrintOrder(calls_, by_id)) module_.order.emplace_back(comp);
  if (context_.stack_frames) good = ReadStackTables(stack_) && good;
  ReadHeader();
  if (module_.strings.full() || module_.attr_lists.full() || module_.ints.full()) {
    good = context_.Report(diag::kTooLarge, proto, "this module is too large");
  }
  return good;
}

bool ModuleReader::ReadFields(std::string_view proto) {
  using Pb = pb::HloModuleProto;
  bool good = true;
  WireReader r(proto);
  while (r.Next()) {
    std::string_view inner;
    switch (r.field()) {
      case Pb::k_name: r.Get(name_); break;
      case Pb::k_entry_computation_name: r.Get(entry_name_); break;
      case Pb::k_computations:
        if (r.Get(inner)) good = ReadComputationFields(inner) && good;
        break;
      case Pb::k_host_program_shape: r.Get(program_shape_); break;
      case Pb::k_entry_computation_id: has_entry_id_ = r.Get(entry_id_); break;
      case Pb::k_schedule: r.Get(schedule_); break;
      case Pb::k_input_output_alias: r.Get(aliases_); break;
      case Pb::k_stack_frame_index: r.Get(stack_); break;
      case Pb::k_buffer_donor: r.Get(donors_); break;
      case Pb::k_frontend_attributes: r.Get(frontend_attributes_); break;
      case Pb::k_payloads: r.Append(context_.payloads); break;
      case Pb::k_device_assignment:
        r.Get(device_assignment_);
        kept_fields_.push_back(r.whole());
        break;
      default: kept_fields_.push_back(r.whole()); break;
    }
  }
  return context_.Check(r, proto) && good;
}

bool ModuleReader::ReadComputationFields(std::string_view proto) {
  using Pb = pb::HloComputationProto;
  CompDraft comp;
  comp.proto = proto;
  comp.instructions.reserve(CountFields(proto, Pb::k_instructions));
  bool good = true;
  WireReader r(proto);
  while (r.Next()) {
    std::string_view instruction;
    switch (r.field()) {
      case Pb::k_name: r.Get(comp.name); break;
      case Pb::k_instructions:
        if (!r.Get(instruction)) break;
        if (instruction.size() < kSmallestInstruction) {
          good = context_.Report(diag::kProtoMissingField, instruction,
                                 "an instruction without name, opcode or shape");
          break;
        }
        comp.instructions.push_back(instruction);
        break;
      case Pb::k_id: r.Get(comp.id); break;
      case Pb::k_root_id: r.Get(comp.root_id); break;
      case Pb::k_execution_thread: r.Get(comp.thread); break;
      // Both are derived from the instructions.
      case Pb::k_program_shape:
      case Pb::k_is_fusion_computation: break;
      default: context_.Unknown("HloComputationProto", r); break;
    }
  }
  good = context_.Check(r, proto) && good;
  if (comp.instructions.empty()) {
    return good && context_.Report(diag::kEmptyComputation, proto,
                                   "computation '" + std::string(comp.name.substr(0, 80)) +
                                       "' has no instructions");
  }
  comps_.push_back(std::move(comp));
  return good;
}

void ModuleReader::ReadSchedule(std::string_view proto) {
  WireReader r(proto);
  while (r.Next()) {
    std::string_view entry;
    if (r.field() != pb::HloScheduleProto::k_sequences || !r.Get(entry)) continue;
    int64_t comp = 0;
    std::string_view sequence;
    WireReader fields(entry);
    while (fields.Next()) {
      if (fields.field() == pb::ScheduleEntry::k_key) fields.Get(comp);
      if (fields.field() == pb::ScheduleEntry::k_value) fields.Get(sequence);
    }
    context_.Check(fields, entry);
    sequences_[comp] = sequence;
  }
  context_.Check(r, proto);
}

void ModuleReader::FindEntry() {
  CompId entry;
  if (has_entry_id_ || entry_name_.empty()) {
    const auto found = comp_of_.find(entry_id_);
    if (found != comp_of_.end()) entry = found->second;
  }
  for (size_t i = 0; i < comps_.size() && !entry.valid(); ++i) {
    if (comps_[i].name == entry_name_) entry = CompId(i);
  }
  if (!entry.valid()) {
    context_.Report(diag::kNoEntry, name_, "the entry computation is not in the module");
    entry = CompId(comps_.size() - 1);
  }
  module_.entry = entry;
  module_.comps[entry.index()].is_entry = true;
}

uint32_t ModuleReader::Position(int64_t id) const {
  const uint32_t local = LocalId(id);
  if (local < dense_.size()) return dense_[local];
  const auto found = sparse_.find(local);
  return found == sparse_.end() ? kNowhere : found->second;
}

// Records the id and shape of every instruction of the computation.
bool ModuleReader::ReadDrafts(const CompDraft& comp) {
  using Pb = pb::HloInstructionProto;
  drafts_.clear();
  drafts_.reserve(comp.instructions.size());
  bool good = true;
  for (const std::string_view proto : comp.instructions) {
    Draft draft{proto, {}, 0};
    std::string_view opcode, name;
    int64_t id = 0;
    WireReader r(proto);
    while (r.Next()) {
      if (r.field() == Pb::k_id) r.Get(id);
      if (r.field() == Pb::k_shape) r.Get(draft.shape);
      if (r.field() == Pb::k_opcode) r.Get(opcode);
      if (r.field() == Pb::k_name) r.Get(name);
    }
    if (!context_.Check(r, proto)) {
      good = false;
      continue;
    }
    if (opcode.empty() || name.empty() || !IsPresent(draft.shape)) {
      good = context_.Report(
          diag::kProtoMissingField, proto,
          opcode.empty()
              ? "an instruction without an opcode"
              : (name.empty() ? "an instruction without a name"
                              : "'" + std::string(name.substr(0, 80)) + "' has no shape"));
      continue;
    }
    draft.local_id = LocalId(id);
    drafts_.push_back(draft);
  }
  return good;
}

bool ModuleReader::IndexDrafts(const CompDraft& comp) {
  uint32_t largest = 0;
  for (const Draft& draft : drafts_) largest = std::max(largest, draft.local_id);
  dense_.clear();
  sparse_.clear();
  if (largest < drafts_.size() * 8 + 64) dense_.assign(size_t{largest} + 1, kNowhere);
  bool good = true;
  for (uint32_t i = 0; i < drafts_.size(); ++i) {
    const uint32_t local = drafts_[i].local_id;
    bool fresh = true;
    if (dense_.empty()) {
      fresh = sparse_.emplace(local, i).second;
    } else if (dense_[local] == kNowhere) {
      dense_[local] = i;
    } else {
      fresh = false;
    }
    if (!fresh) {
      good = context_.Report(diag::kProtoDuplicateId, comp.name,
                             "two instructions of '" + std::string(comp.name.substr(0, 80)) +
                                 "' have the id " + std::to_string(local));
    }
  }
  return good;
}

// A scheduled computation prints in execution order.
void ModuleReader::ApplySchedule(const CompDraft& comp) {
  const auto found = sequences_.find(comp.id);
  if (found == sequences_.end()) return;
  std::vector<int64_t> ids;
  WireReader r(found->second);
  while (r.Next()) {
    if (r.field() == pb::InstructionSequence::k_instruction_ids) r.Append(ids);
  }
  std::vector<Draft> ordered;
  std::vector<bool> taken(drafts_.size());
  for (const int64_t id : ids) {
    const uint32_t position = Position(id);
    if (position == kNowhere || taken[position]) continue;
    taken[position] = true;
    ordered.push_back(drafts_[position]);
  }
  if (ordered.size() != drafts_.size() || ids.size() != drafts_.size()) {
    context_.Report(diag::kProtoBadReference, found->second,
                    "the schedule of '" + std::string(comp.name.substr(0, 80)) +
                        "' does not list each of its instructions once");
    return;
  }
  drafts_ = std::move(ordered);
  IndexDrafts(comp);
}

bool ModuleReader::ReadComputation(uint32_t index) {
  const CompDraft& comp = comps_[index];
  bool good = ReadDrafts(comp);
  // Each dropped instruction has been reported.
  if (drafts_.empty()) return false;
  good = IndexDrafts(comp) && good;
  ApplySchedule(comp);
  if (module_.insts.size() + drafts_.size() >= InstId::kNoneValue || module_.strings.full() ||
      module_.attr_lists.full() || module_.ints.full()) {
    return context_.Report(diag::kTooLarge, comp.proto, "this module is too large");
  }
  first_ = static_cast<uint32_t>(module_.insts.size());
  for (const Draft& draft : drafts_) good = ReadInstruction(draft, index) && good;

  if (HasCircle()) {
    good = context_.Report(
        diag::kProtoBadReference, comp.proto,
        "instructions of '" + std::string(comp.name.substr(0, 80)) + "' form a cycle");
  }
  Computation& made = module_.comps[index];
  made.first = first_;
  made.count = static_cast<uint32_t>(module_.insts.size()) - first_;
  const uint32_t root = Position(comp.root_id);
  if (root == kNowhere) {
    good = context_.Report(diag::kProtoBadReference, comp.proto,
                           "the root of '" + std::string(comp.name.substr(0, 80)) +
                               "' is not one of its instructions");
    made.root = InstId(module_.insts.size() - 1);
  } else {
    made.root = InstId(first_ + root);
  }
  // Visits callees in the order of their callers' ids, regardless of the schedule.
  std::sort(sites_.begin(), sites_.end());
  for (auto& [id, called] : sites_) calls_[index].push_back(std::move(called));
  sites_.clear();
  return good;
}

// True if instructions of the current computation depend on themselves.
bool ModuleReader::HasCircle() const {
  const auto count = static_cast<uint32_t>(module_.insts.size()) - first_;
  const auto for_each_need = [&](uint32_t i, const auto& visit) {
    const Inst& inst = module_.insts[first_ + i];
    for (const InstId operand : module_.operands_of(inst)) {
      if (operand.valid()) visit(operand.value - first_);
    }
    for (const int64_t pred : module_.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      visit(static_cast<uint32_t>(pred) - first_);
    }
  };
  bool in_order = true;
  for (uint32_t i = 0; i < count && in_order; ++i) {
    for_each_need(i, [&](uint32_t need) { in_order &= need < i; });
  }
  if (in_order) return false;
  // Repeatedly removes the instructions that no remaining one needs.
  std::vector<uint32_t> users(count, 0), ready;
  for (uint32_t i = 0; i < count; ++i) {
    for_each_need(i, [&](uint32_t need) { ++users[need]; });
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (users[i] == 0) ready.push_back(i);
  }
  size_t taken = 0;
  while (!ready.empty()) {
    const uint32_t next = ready.back();
    ready.pop_back();
    ++taken;
    for_each_need(next, [&](uint32_t need) {
      if (--users[need] == 0) ready.push_back(need);
    });
  }
  return taken != count;
}

bool ModuleReader::ReadInstruction(const Draft& draft, uint32_t comp) {
  bool good = fields_.Read(draft.proto, context_);
  Inst inst;
  inst.name = module_.AddName(fields_.name);
  inst.parent = CompId(comp);
  if (!context_.ReadShape(fields_.shape, inst.shape)) {
    good = false;
    inst.shape = module_.shapes.Tuple({});
  }
  if (const auto known = OpcodeFromText(fields_.opcode)) {
    inst.opcode = *known;
  } else if (const std::string_view direction = OldComparison(fields_.opcode); !direction.empty()) {
    inst.opcode = Opcode::kCompare;
    fields_.comparison_direction = direction;
  } else {
    context_.Report(
        diag::kUnknownOpcode, fields_.opcode,
        "opcode '" + std::string(fields_.opcode.substr(0, 80)) + "' is unknown to this version");
    inst.extra = module_.Str(fields_.opcode).value;
  }
  if (inst.opcode == Opcode::kParameter) {
    if (fields_.parameter_number < 0 || fields_.parameter_number > kMaxParameters) {
      good = context_.Report(
          diag::kBadParameterNumber, fields_.name,
          "a parameter cannot have the number " + std::to_string(fields_.parameter_number));
    } else {
      inst.extra = static_cast<uint32_t>(fields_.parameter_number);
    }
  }
  if (inst.opcode == Opcode::kConstant) {
    LiteralId literal;
    // How the elements of an unknown type are stored is unknown.
    const bool has_value = IsPresent(fields_.literal) && !module_.shapes.has_unknown(inst.shape);
    if (has_value && context_.ReadLiteral(fields_.literal, inst.shape, literal)) {
      inst.extra = literal.value;
    } else {
      good = good && !has_value;
      inst.extra = module_.literals.AddElided(inst.shape).value;
    }
  }

  inst.operands_begin = static_cast<uint32_t>(module_.operands.size());
  inst.operand_count = static_cast<uint32_t>(fields_.operand_ids.size());
  for (const int64_t id : fields_.operand_ids) {
    const uint32_t position = Position(id);
    if (position == kNowhere) {
      good = context_.Report(diag::kProtoBadReference, fields_.name,
                             "operand " + std::to_string(id) + " of '" +
                                 std::string(fields_.name.substr(0, 80)) +
                                 "' is not in its computation");
      inst.flags |= kInstBadOperands;
      module_.operands.emplace_back();
    } else {
      module_.operands.emplace_back(first_ + position);
    }
  }

  ProtoScope scope;
  scope.computations = &comp_of_;
  scope.instruction = [this](int64_t id) -> std::optional<InstId> {
    const uint32_t position = Position(id);
    if (position == kNowhere) return std::nullopt;
    return InstId(first_ + position);
  };
  scope.shape_of = [this](int64_t id) -> std::optional<ShapeId> {
    const uint32_t position = Position(id);
    ShapeId shape;
    if (position == kNowhere || !context_.ReadShape(drafts_[position].shape, shape)) {
      return std::nullopt;
    }
    return shape;
  };
  good = AttributeReader(context_, scope).Read(fields_, inst) && good;

  if (!fields_.called_ids.empty()) {
    auto& called = sites_.emplace_back(draft.local_id, std::vector<uint32_t>()).second;
    for (const int64_t id : fields_.called_ids) {
      const auto found = comp_of_.find(id);
      if (found != comp_of_.end()) called.push_back(found->second.value);
    }
  }
  module_.insts.push_back(inst);
  instruction_ids_.push_back(fields_.id);
  return good;
}

std::vector<int64_t> ModuleReader::computation_ids() const {
  std::vector<int64_t> ids;
  for (const CompDraft& comp : comps_) ids.push_back(comp.id);
  return ids;
}

}  // namespace halo
