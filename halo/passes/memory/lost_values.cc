// One walk through a loop's condition and body is enough, because loop-carried values keep their
// names in the next iteration. Each branch starts from the state before the conditional;
// afterwards, whatever any branch changed counts as changed.
#include "halo/passes/memory/lost_values.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// Returns true if the instruction neither produces nor reads an array.
bool PassesOn(const Module& module, const Inst& inst) {
  if (PassesValuesOn(inst.opcode) || inst.opcode == Opcode::kParameter) return true;
  return inst.opcode == Opcode::kCopy && module.shapes.is_tuple(inst.shape);
}

// A GEMM call that accumulates into a matrix may overwrite it, because it reads each addend first.
bool AddsTo(const Module& module, const Inst& inst, uint32_t operand) {
  if (inst.opcode != Opcode::kCustomCall || operand != 2) return false;
  const std::string_view target = module.TextOr(inst.attrs, AttrKey::k_custom_call_target);
  return target.starts_with("__cublas$gemm") || target.starts_with("__cublas$lt$matmul");
}

}  // namespace

LostValues::LostValues(const Dataflow& flow, const SameValues& same, const InPlacePairs& in_place,
                       const Buffers& buffers)
    : flow_(flow),
      same_(same),
      module_(flow.module()),
      in_place_(in_place),
      buffers_(buffers),
      can_share_(flow, in_place, SharingRules()),
      held_(buffers.size()),
      lost_(flow.size()),
      reported_(flow.size(), false) {
  Walk();
}

void LostValues::Walk() {
  const Computation& entry = module_.comp(module_.entry);
  const auto for_parameters = [&](const auto& visit) {
    for (uint32_t i = 0; i < entry.count; ++i) {
      const InstId id(entry.first + i);
      if (module_.inst(id).opcode == Opcode::kParameter) visit(id);
    }
  };
  for_parameters([&](InstId id) { Hold(id); });
  for_parameters([&](InstId id) { CheckHeld(id); });
  Enter(module_.entry, {}, Role::kEntry);
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    const Computation& computation = module_.comp(frame.comp);
    if (frame.next < computation.count) {
      Run(InstId(computation.first + frame.next++));
      continue;
    }
    const Frame left = frame;
    stack_.pop_back();
    Leave(left);
  }
}

void LostValues::Enter(CompId comp, InstId caller, Role role, uint32_t branch) {
  stack_.push_back({comp, caller, role, 0, branch, changes_.size()});
}

void LostValues::Run(InstId id) {
  const Inst& inst = module_.inst(id);
  if (PassesOn(module_, inst)) return;
  const size_t before = found_.size();
  for (uint32_t k = 0; k < inst.operand_count; ++k) ReadOperand(id, k);
  if (RunsItsComputations(inst.opcode)) FindReadTogether(before);
  std::vector<CompId> called;
  CalledComputations(module_, inst, called);
  if (inst.opcode == Opcode::kWhile && called.size() == 2) {
    const InstId parameter = FirstParameter(module_, called[1]);
    Hold(parameter);
    CheckHeld(parameter);
    Enter(called[1], id, Role::kCondition);
  } else if (inst.opcode == Opcode::kConditional && !called.empty()) {
    branch_changes_.emplace_back();
    Enter(called[0], id, Role::kBranch);
    branches_.push_back(std::move(called));
  } else if ((inst.opcode == Opcode::kCall || inst.opcode == Opcode::kAsyncStart) &&
             !called.empty()) {
    Enter(called[0], id, Role::kCall);
  } else {
    FindSelfReads(id);
    Hold(id);
    CheckHeld(id);
  }
}

void LostValues::Leave(const Frame& frame) {
  const size_t before = found_.size();
  ReadRoot(frame.comp);
  if (frame.role == Role::kCall) FindReadTogether(before);
  switch (frame.role) {
    case Role::kEntry: return;
    case Role::kCall: Hold(frame.caller); return;  // the context of an async op
    case Role::kCondition: {
      // The body, or whatever follows the loop, needs all of it again.
      CheckHeld(FirstParameter(module_, frame.comp));
      std::vector<CompId> called;
      CalledComputations(module_, module_.inst(frame.caller), called);
      const InstId parameter = FirstParameter(module_, called[0]);
      Hold(parameter);
      CheckHeld(parameter);
      Enter(called[0], frame.caller, Role::kBody);
      return;
    }
    case Role::kBody:
      Hold(frame.caller);
      CheckHeld(frame.caller);
      return;
    case Role::kBranch:
      EndBranch(frame);
      if (frame.branch + 1 < branches_.back().size()) {
        Enter(branches_.back()[frame.branch + 1], frame.caller, Role::kBranch, frame.branch + 1);
        return;
      }
      branches_.pop_back();
      while (!branch_changes_.back().empty()) {
        const auto [buffer, value] = branch_changes_.back().back();
        branch_changes_.back().pop_back();
        changes_.push_back({buffer, held_[buffer.index()]});
        held_[buffer.index()] = value;
      }
      branch_changes_.pop_back();
      Hold(frame.caller);
      CheckHeld(frame.caller);
      return;
  }
}

void LostValues::EndBranch(const Frame& frame) {
  while (changes_.size() > frame.changes) {
    const Change change = changes_.back();
    changes_.pop_back();
    // The last value of a buffer is recorded first, so that it is restored last.
    branch_changes_.back().emplace_back(change.buffer, held_[change.buffer.index()]);
    held_[change.buffer.index()] = change.before;
  }
}

void LostValues::ReadOperand(InstId inst, uint32_t operand) {
  const InstId from = module_.operands_of(module_.inst(inst))[operand];
  const uint32_t nodes = flow_.trees().count(module_.inst(from).shape);
  for (uint32_t node = 0; node < nodes; ++node) {
    Read({inst, operand, node, module_.inst(inst).parent});
  }
}

void LostValues::ReadRoot(CompId comp) {
  const InstId root = module_.comp(comp).root;
  for (uint32_t node = 0; node < flow_.trees().count(module_.inst(root).shape); ++node) {
    Read({InstId(), 0, node, comp});
  }
}

void LostValues::FindReadTogether(size_t first) {
  // A copy would be lost in turn, since it must be passed on together with the value that replaced
  // it.
  for (size_t i = first; i < found_.size(); ++i) {
    LostValue& lost = found_[i];
    const FlowId held = held_[buffers_.of(lost.value).index()];
    const auto reads = [&](InstId from) {
      for (uint32_t node = 0; node < flow_.trees().count(module_.inst(from).shape); ++node) {
        if (same_.at(from, node) == held) return true;
      }
      return false;
    };
    bool together = false;
    if (!lost.slot.user.valid()) {
      together = reads(module_.comp(lost.slot.comp).root);
    } else {
      for (const InstId operand : module_.operands_of(module_.inst(lost.slot.user))) {
        together = together || reads(operand);
      }
    }
    if (!together) continue;
    lost.held = held;
    lost.at_once = true;
  }
}

void LostValues::Read(const ReadSlot& slot) {
  const FlowId value = same_.at(PositionOf(module_, slot));
  if (!IsArray(value) || reported_[value.index()]) return;
  const FlowId held = held_[buffers_.of(value).index()];
  if (held == value) return;
  const Lost& lost = lost_[value.index()];
  if (!lost.writer.valid()) {
    reported_[value.index()] = true;
    found_.push_back({value, held, {}, slot, /*at_once=*/true});
    return;
  }
  const InstId writer = WriterIn(slot.comp, lost.writer);
  // A value lost outside of this computation, or within the call that produced it, was reported
  // there.
  if (!writer.valid() || WriterIn(slot.comp, flow_.value(value).defined.inst) == writer) return;
  found_.push_back({value, lost.held, writer, slot, false});
}

InstId LostValues::WriterIn(CompId comp, InstId writer) const {
  while (writer.valid() && module_.inst(writer).parent != comp) {
    const std::span<const InstId> callers = flow_.calls().callers(module_.inst(writer).parent);
    writer = callers.empty() ? InstId() : callers[0];
  }
  return writer;
}

void LostValues::Set(FlowId value, InstId writer) {
  const BufferId buffer = buffers_.of(value);
  FlowId& held = held_[buffer.index()];
  if (held.valid()) lost_[held.index()] = {value, writer};
  changes_.push_back({buffer, held});
  held = value;
}

void LostValues::Hold(InstId inst) {
  const uint32_t nodes = flow_.trees().count(module_.inst(inst).shape);
  for (uint32_t node = 0; node < nodes; ++node) {
    const FlowId value = same_.at(inst, node);
    if (!IsArray(value) || flow_.value(value).defined != Position{inst, node}) continue;
    Set(value, inst);
  }
}

void LostValues::CheckHeld(InstId inst) {
  const uint32_t nodes = flow_.trees().count(module_.inst(inst).shape);
  for (uint32_t node = 0; node < nodes; ++node) {
    const FlowId value = same_.at(inst, node);
    if (!IsArray(value) || reported_[value.index()]) continue;
    const FlowId held = held_[buffers_.of(value).index()];
    if (held == value) continue;
    reported_[value.index()] = true;
    found_.push_back({value, held, inst, {}, /*at_once=*/true});
  }
}

void LostValues::FindSelfReads(InstId id) {
  const Inst& inst = module_.inst(id);
  for (const InPlacePair& pair : in_place_.of(id)) {
    const FlowId written = same_.at(module_.operands_of(inst)[pair.operand], pair.operand_node);
    if (!IsArray(written)) continue;
    for (uint32_t k = 0; k < inst.operand_count; ++k) {
      const InstId operand = module_.operands_of(inst)[k];
      for (uint32_t node = 0; node < flow_.trees().count(module_.inst(operand).shape); ++node) {
        if (k == pair.operand && node == pair.operand_node) continue;
        if (same_.at(operand, node) != written) continue;
        const FlowId result = same_.at(id, pair.result_node);
        found_.push_back({written, result, id, {id, k, node, inst.parent}, false});
      }
    }
  }
  FindOverwrittenOperands(id);
}

void LostValues::FindOverwrittenOperands(InstId id) {
  const Inst& inst = module_.inst(id);
  ListOperands(inst);
  if (operands_.empty()) return;
  for (uint32_t part = 0; part < flow_.trees().count(inst.shape); ++part) {
    const FlowId result = same_.at(id, part);
    if (!IsArray(result)) continue;
    const BufferId buffer = buffers_.of(result);
    auto at = std::ranges::lower_bound(operands_, buffer, {}, &OperandArray::buffer);
    for (; at != operands_.end() && at->buffer == buffer; ++at) {
      const InstId operand = module_.operands_of(inst)[at->operand];
      if (at->value == result || can_share_({operand, at->node}, {id, part})) continue;
      if (AddsTo(module_, inst, at->operand) &&
          flow_.shape_of(at->value) == flow_.shape_of(result)) {
        continue;
      }
      found_.push_back({at->value, result, id, {id, at->operand, at->node, inst.parent}, false});
    }
  }
}

// By buffer, so that an instruction that reads and makes many arrays does not try all pairs.
void LostValues::ListOperands(const Inst& inst) {
  operands_.clear();
  for (uint32_t k = 0; k < inst.operand_count; ++k) {
    const InstId operand = module_.operands_of(inst)[k];
    for (uint32_t node = 0; node < flow_.trees().count(module_.inst(operand).shape); ++node) {
      const FlowId value = same_.at(operand, node);
      if (IsArray(value)) operands_.push_back({buffers_.of(value), value, k, node});
    }
  }
  std::ranges::sort(operands_, {}, [](const OperandArray& each) {
    return std::tuple(each.buffer, each.operand, each.node);
  });
}

}  // namespace halo
