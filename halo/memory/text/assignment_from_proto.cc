// Finds the instructions that the message names by number, and copies what it says about them.
#include "halo/memory/text/assignment_from_proto.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {
namespace {

class ProtoAssignment {
 public:
  ProtoAssignment(const BufferAssignmentData& data, const Module& module,
                  std::span<const int64_t> instruction_ids, Diagnostics& diagnostics)
      : data_(data), module_(module), diagnostics_(diagnostics) {
    for (size_t i = 0; i < std::min(instruction_ids.size(), module.insts.size()); ++i)
      inst_of_id_.try_emplace(instruction_ids[i], i);
    FindLoopComputations();
    FindOutput();
  }

  Assignment Make() {
    assignment_.style.pages = false;
    AddValues();
    for (const BufferAllocation& allocation : data_.allocations) AddAllocation(allocation);
    return std::move(assignment_);
  }

 private:
  void Complain(DiagCode code, std::string message) {
    diagnostics_.Add(MakeBinaryDiagnostic(code, 0, std::move(message)));
  }

  // A value defined by a parameter of one of these is a phi: the loop carries it.
  void FindLoopComputations() {
    is_loop_.resize(module_.comps.size());
    std::vector<CompId> called;
    for (const Inst& inst : module_.insts) {
      if (inst.opcode != Opcode::kWhile) continue;
      called.clear();
      module_.CalledBy(inst, called);
      for (const CompId comp : called) is_loop_[comp.index()] = true;
    }
  }

  // Finds the instruction that defines the entry's result, through bitcasts, which define nothing.
  void FindOutput() {
    if (!module_.entry.valid() || !module_.comp(module_.entry).root.valid()) return;
    output_ = &module_.inst(module_.comp(module_.entry).root);
    for (size_t steps = 0; output_->opcode == Opcode::kBitcast; ++steps) {
      const std::span<const InstId> operands = module_.operands_of(*output_);
      if (operands.empty() || !operands[0].valid() || steps > module_.insts.size()) return;
      output_ = &module_.inst(operands[0]);
    }
  }

  // Old dumps name instructions, newer ones number them.
  const Inst* Find(const BufferLocation& location) {
    const auto found = inst_of_id_.find(location.instruction_id);
    if (location.instruction_name.empty())
      return found == inst_of_id_.end() ? nullptr : &module_.insts[found->second];
    if (inst_of_name_.empty()) {
      for (size_t i = 0; i < module_.insts.size(); ++i)
        inst_of_name_.try_emplace(module_.name_of(module_.insts[i]), i);
    }
    const auto named = inst_of_name_.find(location.instruction_name);
    return named == inst_of_name_.end() ? nullptr : &module_.insts[named->second];
  }

  ShapeId Subshape(ShapeId shape, std::span<const int64_t> steps) const {
    for (const int64_t step : steps) {
      if (!shape.valid() || !module_.shapes.is_tuple(shape)) return {};
      const std::span<const ShapeId> elements = module_.shapes.elements(shape);
      if (step < 0 || static_cast<uint64_t>(step) >= elements.size()) return {};
      shape = elements[static_cast<size_t>(step)];
    }
    return shape;
  }

  int32_t Small(int64_t number) {
    if (number >= 0 && number <= std::numeric_limits<int32_t>::max())
      return static_cast<int32_t>(number);
    Complain(diag::kProtoBadValue, "a color or parameter number is out of range");
    return 0;
  }

  void AddValues() {
    std::vector<const LogicalBuffer*> sorted;
    for (const LogicalBuffer& buffer : data_.logical_buffers) sorted.push_back(&buffer);
    std::ranges::sort(sorted, {}, [](const LogicalBuffer* buffer) { return buffer->id; });
    for (const LogicalBuffer* buffer : sorted) {
      const BufferLocation nowhere;
      const BufferLocation& at = buffer->defined_at ? *buffer->defined_at : nowhere;
      const Inst* inst = buffer->defined_at ? Find(at) : nullptr;
      const ShapeId shape = inst == nullptr ? ShapeId{} : Subshape(inst->shape, at.shape_index);
      const bool is_new = buffer->id >= 0 && !row_of_id_.contains(buffer->id);
      if (!shape.valid() || !is_new) {
        Complain(diag::kProtoBadReference,
                 "buffer " + std::to_string(buffer->id) + " is defined nowhere in the module");
        continue;
      }
      row_of_id_.emplace(buffer->id, static_cast<uint32_t>(assignment_.values.size()));
      AddValue(*buffer, *inst, at.shape_index, shape);
    }
  }

  void AddValue(const LogicalBuffer& buffer, const Inst& inst, std::span<const int64_t> steps,
                ShapeId shape) {
    AssignedValue& value = assignment_.values.emplace_back();
    value.id = buffer.id;
    value.instruction = assignment_.Text(module_.name_of(inst));
    value.index = assignment_.Index(steps);
    value.shape = assignment_.Text(module_.shapes.Text(shape));
    value.size = buffer.size;
    value.color = Small(buffer.color);
    value.shows_index = module_.shapes.is_tuple(inst.shape);
    const bool carried = inst.opcode == Opcode::kParameter && is_loop_[inst.parent.index()];
    value.is_phi = carried || inst.opcode == Opcode::kWhile || inst.opcode == Opcode::kConditional;
    value.first_position = static_cast<uint32_t>(assignment_.positions.size());
    value.position_count = 1;
    assignment_.positions.push_back(
        {value.instruction, value.shows_index ? value.index : IndexId{}});
  }

  void AddAllocation(const BufferAllocation& from) {
    if (from.index != static_cast<int64_t>(assignment_.allocations.size()) || from.size < 0)
      Complain(diag::kProtoBadValue, "allocations are not numbered in order");
    Allocation allocation;
    allocation.size = std::max<int64_t>(from.size, 0);
    allocation.color = Small(from.color);
    allocation.is_constant = from.is_constant;
    allocation.is_thread_local = from.is_thread_local;
    allocation.maybe_live_out = from.maybe_live_out;
    allocation.is_preallocated_temp = !from.is_entry_computation_parameter &&
                                      !from.maybe_live_out && !from.is_thread_local &&
                                      !from.is_constant;
    if (from.is_entry_computation_parameter) AddParameter(from, allocation);
    allocation.first = static_cast<uint32_t>(assignment_.placed.size());
    for (const AssignedBuffer& assigned : from.assigned) Place(assigned, allocation);
    assignment_.total_bytes = allocation.size > INT64_MAX - assignment_.total_bytes
                                  ? INT64_MAX
                                  : assignment_.total_bytes + allocation.size;
    assignment_.allocations.push_back(allocation);
  }

  void AddParameter(const BufferAllocation& from, Allocation& allocation) {
    allocation.parameter = Small(from.parameter_number);
    allocation.parameter_index = assignment_.Index(from.parameter_shape_index);
    ShapeId shape;
    if (module_.entry.valid()) {
      const Computation& entry = module_.comp(module_.entry);
      for (uint32_t i = 0; i < entry.count; ++i) {
        const Inst& inst = module_.insts[entry.first + i];
        if (inst.opcode == Opcode::kParameter && inst.extra == from.parameter_number)
          shape = Subshape(inst.shape, from.parameter_shape_index);
      }
    }
    if (shape.valid()) {
      allocation.parameter_shape = assignment_.Text(module_.shapes.Text(shape, false));
    } else {
      Complain(diag::kProtoBadReference,
               "an allocation belongs to a parameter that does not exist");
    }
  }

  void Place(const AssignedBuffer& assigned, Allocation& allocation) {
    const auto found = row_of_id_.find(assigned.logical_buffer_id);
    if (found == row_of_id_.end() || assigned.offset < 0 || assigned.size < 0 ||
        assignment_.values[found->second].allocation.valid()) {
      Complain(diag::kProtoBadReference,
               "buffer " + std::to_string(assigned.logical_buffer_id) + " cannot be placed");
      return;
    }
    AssignedValue& value = assignment_.values[found->second];
    value.allocation = AllocationId(assignment_.allocations.size());
    value.offset = assigned.offset;
    value.size = assigned.size;
    assignment_.placed.emplace_back(found->second);
    ++allocation.count;
    const bool is_output = output_ != nullptr && assignment_.index(value.index).empty() &&
                           module_.name_of(*output_) == assignment_.text(value.instruction);
    if (is_output) {
      const Inst& root = module_.inst(module_.comp(module_.entry).root);
      allocation.output_shape = assignment_.Text(module_.shapes.Text(root.shape, false));
    }
  }

  const BufferAssignmentData& data_;
  const Module& module_;
  Diagnostics& diagnostics_;
  Assignment assignment_;
  std::unordered_map<int64_t, size_t> inst_of_id_;
  std::unordered_map<std::string_view, size_t> inst_of_name_;
  std::unordered_map<int64_t, uint32_t> row_of_id_;
  std::vector<bool> is_loop_;
  const Inst* output_ = nullptr;
};

}  // namespace

Assignment AssignmentFromProto(const BufferAssignmentData& data, const Module& module,
                               std::span<const int64_t> instruction_ids, Diagnostics& diagnostics) {
  return ProtoAssignment(data, module, instruction_ids, diagnostics).Make();
}

}  // namespace halo
