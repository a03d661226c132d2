// Steps through computations: gathers operands, stores values, and updates the stack for calls,
// loops, branches and async ops. Ordinary ops are defined elsewhere.
#include "halo/eval/machine.h"

#include <algorithm>
#include <utility>

#include "halo/eval/calls/known_calls.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/ir/op_properties.h"
#include "halo/semantics/devices/manual_borders.h"
#include "halo/semantics/facts/async_chain.h"

namespace halo {
namespace {

constexpr size_t kMaxFrames = 2000;

// Filled once: a registry holds hundreds of targets, and most programs use few.
const CustomCallRegistry& KnownCalls() {
  static const CustomCallRegistry kKnown = KnownCustomCalls();
  return kKnown;
}

// Returns the opcode that an async op written as X-start computes; otherwise the instruction's own.
Opcode ComputedOpcode(const Inst& inst) {
  return (inst.flags & kInstSugar) != 0 && inst.opcode == Opcode::kAsyncStart ? inst.wrapped
                                                                              : inst.opcode;
}

// Returns the shape of the result that an async-start wraps: the second element of its tuple.
ShapeId ComputedShape(const Module& module, const Inst& inst) {
  if (inst.opcode != Opcode::kAsyncStart) return inst.shape;
  const std::span<const ShapeId> parts = module.shapes.elements(inst.shape);
  return parts.size() > 1 ? parts[1] : inst.shape;
}

CompId OnlyCalled(const Module& module, const Inst& inst) {
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  return called.size() == 1 ? called[0] : CompId();
}

}  // namespace

EvalState::EvalState(const Module& evaluated, const EvalOptions& how)
    : module(evaluated),
      options(how),
      custom_calls(how.custom_calls != nullptr ? *how.custom_calls : KnownCalls()) {
  grid.replicas =
      how.replicas > 0
          ? how.replicas
          : std::max<int64_t>(1, module.IntOr(module.attrs, AttrKey::k_replica_count, 1));
  grid.partitions =
      how.partitions > 0
          ? how.partitions
          : std::max<int64_t>(1, module.IntOr(module.attrs, AttrKey::k_num_partitions, 1));
}

const ExecutionOrder& EvalState::OrderOf(CompId comp) {
  std::unique_ptr<ExecutionOrder>& plan = plans_[comp.value];
  if (plan == nullptr) plan = std::make_unique<ExecutionOrder>(OrderForExecution(module, comp));
  return *plan;
}

LaneProgram* EvalState::LanesOf(CompId comp) {
  const auto [at, added] = lanes_.try_emplace(comp.value);
  if (added) at->second = LaneProgram::Compile(module, comp);
  return at->second ? &*at->second : nullptr;
}

void Machine::Start(CompId comp, std::vector<Value> arguments) {
  status_ = Status::kRunning;
  Push(comp, std::move(arguments));
}

void Machine::Run() {
  while (status_ == Status::kRunning) Step();
}

void Machine::Fail(Diagnostic error) {
  error_ = std::move(error);
  status_ = Status::kFailed;
}

void Machine::Push(CompId comp, std::vector<Value> arguments) {
  if (!comp.valid() || !state_.module.comp(comp).defined || frames_.size() >= kMaxFrames) {
    return Fail(MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                                     frames_.size() >= kMaxFrames
                                         ? "calls are nested too deeply"
                                         : "a called computation is missing"));
  }
  Frame frame;
  frame.plan = &state_.OrderOf(comp);
  frame.values.resize(frame.plan->count);
  frame.arguments = std::move(arguments);
  frames_.push_back(std::move(frame));
}

void Machine::GatherOperands(Frame& frame) {
  const ExecutionOrder::Entry& entry = frame.plan->order[frame.next];
  const Inst& inst = state_.module.inst(entry.inst);
  frame.operands.clear();
  const std::span<const InstId> operands = state_.module.operands_of(inst);
  for (size_t i = 0; i < operands.size(); ++i) {
    Value& value = frame.values[operands[i].value - frame.plan->first];
    if (frame.plan->last_use[entry.first_operand + i] != 0) {
      frame.operands.push_back(std::exchange(value, Value()));
    } else {
      frame.operands.push_back(value);
    }
  }
  if (state_.options.observer != nullptr) frame.observed = frame.operands;
}

OpContext Machine::ContextOf(Frame& frame) {
  const InstId id = frame.plan->order[frame.next].inst;
  const Inst& inst = state_.module.inst(id);
  return {
      *this,         state_.module, id, ComputedOpcode(inst), ComputedShape(state_.module, inst),
      frame.operands};
}

bool Machine::Allowed(const ExecutionOrder::Entry& entry) {
  OpContext cx = ContextOf(frames_.back());
  if (++state_.steps > state_.options.max_steps) {
    Fail(cx.Fail(diag::kStepLimit, "the limit of executed instructions is reached"));
    return false;
  }
  if (std::optional<Diagnostic> refused = cx.Spend(entry.result_elements)) {
    Fail(*std::move(refused));
    return false;
  }
  switch (FlowOf(cx.inst.opcode)) {
    case OpFlow::kParameter:
    case OpFlow::kTuple:
    case OpFlow::kElement:
    case OpFlow::kCall:
    case OpFlow::kFusion:
    case OpFlow::kWhile:
    case OpFlow::kConditional: return true;  // these allocate no arrays
    default: break;
  }
  if (std::optional<Diagnostic> refused = cx.CheckBudget(entry.result_bytes)) {
    Fail(*std::move(refused));
    return false;
  }
  return true;
}

void Machine::Step() {
  Frame& frame = frames_.back();
  if (frame.next == frame.plan->order.size()) {
    Value result = std::move(frame.values[frame.plan->root.value - frame.plan->first]);
    frames_.pop_back();
    return Return(std::move(result));
  }
  const ExecutionOrder::Entry& entry = frame.plan->order[frame.next];
  const Inst& inst = state_.module.inst(entry.inst);
  GatherOperands(frame);
  if (!Allowed(entry)) return;
  if (inst.opcode == Opcode::kParameter) {
    if (inst.extra >= frame.arguments.size()) {
      return Fail(ContextOf(frame).Fail(diag::kCannotEvaluate, "no value for this parameter"));
    }
    return Assign(std::move(frame.arguments[inst.extra]));
  }
  const Opcode opcode = ComputedOpcode(inst);
  if (IsCollectiveOp(opcode) || LeavesManualRegion(state_.module, inst)) {
    status_ = Status::kWaiting;
    return;
  }
  if (EvalRuleOf(opcode) == nullptr) return Control(inst);
  Compute(inst);
}

void Machine::Compute(const Inst& inst) {
  OpContext cx = ContextOf(frames_.back());
  Result<Value> value = EvalOp(cx);
  if (!value.ok()) return Fail(value.error());
  if (inst.opcode == Opcode::kAsyncStart) return AssignStarted(inst, *std::move(value));
  Assign(*std::move(value));
}

void Machine::Control(const Inst& inst) {
  Frame& frame = frames_.back();
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kCall:
    case OpFlow::kFusion: return Push(OnlyCalled(state_.module, inst), std::move(frame.operands));
    case OpFlow::kAsyncStart: return StartAsync(inst);
    case OpFlow::kAsyncUpdate: {
      if (frame.operands.size() == 1) return Assign(std::move(frame.operands[0]));
      const Value before = std::move(frame.operands[0]);
      if (before.elements().empty()) break;
      const std::span<const Value> bound = before.elements()[0].elements();
      frame.operands.erase(frame.operands.begin());
      frame.operands.insert(frame.operands.begin(), bound.begin(), bound.end());
      return StartAsync(inst);
    }
    case OpFlow::kAsyncDone: {
      const std::span<const Value> parts = frame.operands[0].elements();
      if (parts.size() < 2) break;
      return Assign(parts[1]);
    }
    case OpFlow::kWhile: return StartLoop(inst);
    case OpFlow::kConditional: return Branch(inst);
    default: break;
  }
  // The reader makes the opcode unknown if an attribute is in a form that it does not know.
  const bool is_known = OpcodeFromText(state_.module.opcode_text(inst)).has_value();
  Fail(ContextOf(frame).Fail(diag::kCannotEvaluate,
                             is_known && inst.opcode == Opcode::kUnknown
                                 ? "one of its attributes is in a form that is not understood"
                                 : "this instruction is not supported"));
}

// The computation runs as soon as its last parameter is bound, by the start or by an update. The
// operands are also part of the result.
void Machine::StartAsync(const Inst& inst) {
  Frame& frame = frames_.back();
  CompId called = OnlyCalled(state_.module, inst);
  if (const auto start = AsyncStartOf(state_.module, frame.plan->order[frame.next].inst);
      !called.valid() && start) {
    called = OnlyCalled(state_.module, state_.module.inst(*start));
  }
  size_t parameters = 0;
  if (called.valid()) {
    const Computation& comp = state_.module.comp(called);
    for (uint32_t i = 0; i < comp.count; ++i) {
      parameters += state_.module.inst(InstId(comp.first + i)).opcode == Opcode::kParameter ? 1 : 0;
    }
  }
  if (frame.operands.size() < parameters) return AssignStarted(inst, Value::Tuple({}));
  Push(called, frame.operands);
}

void Machine::StartLoop(const Inst& inst) {
  Frame& frame = frames_.back();
  frame.loop = std::move(frame.operands[0]);
  frame.phase = Phase::kCondition;
  const Attr* condition = state_.module.Find(inst, AttrKey::k_condition);
  Push(condition == nullptr ? CompId() : CompId(condition->value), {frame.loop});
}

void Machine::ContinueLoop(const Inst& inst, Value value) {
  Frame& frame = frames_.back();
  if (frame.phase == Phase::kBody) {
    frame.loop = std::move(value);
    frame.phase = Phase::kCondition;
    const Attr* condition = state_.module.Find(inst, AttrKey::k_condition);
    return Push(CompId(condition->value), {frame.loop});
  }
  if (value.array().bytes()[0] == 0) {
    frame.phase = Phase::kPlain;
    return Assign(std::exchange(frame.loop, Value()));
  }
  frame.phase = Phase::kBody;
  const Attr* body = state_.module.Find(inst, AttrKey::k_body);
  std::vector<Value> arguments;
  arguments.push_back(std::exchange(frame.loop, Value()));
  Push(body == nullptr ? CompId() : CompId(body->value), std::move(arguments));
}

void Machine::Branch(const Inst& inst) {
  Frame& frame = frames_.back();
  std::vector<CompId> branches;
  state_.module.CalledBy(inst, branches);
  const Array& selector = frame.operands[0].array();
  auto last = static_cast<int64_t>(branches.size()) - 1;
  int64_t chosen = last;
  if (selector.type() == ElementType::kPred) {
    chosen = selector.bytes()[0] != 0 ? 0 : 1;
  } else {
    const int64_t index = LoadInt(selector.type(), selector.bytes());
    if (index >= 0 && index < last) chosen = index;  // out of range selects the last branch
  }
  if (chosen < 0 || chosen > last || static_cast<size_t>(chosen) + 1 >= frame.operands.size()) {
    return Fail(ContextOf(frame).Fail(diag::kCannotEvaluate, "there is no such branch"));
  }
  std::vector<Value> arguments;
  arguments.push_back(std::move(frame.operands[static_cast<size_t>(chosen) + 1]));
  frame.operands.clear();
  Push(branches[static_cast<size_t>(chosen)], std::move(arguments));
}

void Machine::Return(Value value) {
  if (frames_.empty()) {
    result_ = std::move(value);
    status_ = Status::kDone;
    return;
  }
  const Inst& inst = state_.module.inst(frames_.back().plan->order[frames_.back().next].inst);
  if (inst.opcode == Opcode::kWhile) return ContinueLoop(inst, std::move(value));
  if (inst.opcode == Opcode::kAsyncStart || inst.opcode == Opcode::kAsyncUpdate) {
    return AssignStarted(inst, std::move(value));
  }
  Assign(std::move(value));
}

// ((operands), result, contexts)
void Machine::AssignStarted(const Inst& inst, Value value) {
  std::vector<Value> parts;
  parts.push_back(Value::Tuple(std::move(frames_.back().operands)));
  parts.push_back(std::move(value));
  const std::span<const ShapeId> shapes = state_.module.shapes.elements(inst.shape);
  for (size_t i = 2; i < shapes.size(); ++i) {
    if (state_.module.shapes.is_array(shapes[i])) {
      parts.emplace_back(
          Array(state_.module.shapes.type(shapes[i]), state_.module.shapes.dims(shapes[i])));
    } else {
      parts.push_back(Value::Token());
    }
  }
  Assign(Value::Tuple(std::move(parts)));
}

void Machine::Assign(Value value) {
  Frame& frame = frames_.back();
  const ExecutionOrder::Entry& entry = frame.plan->order[frame.next];
  if (state_.options.observer != nullptr) {
    state_.options.observer->Replace(device_, entry.inst, value);
    if (!state_.options.observer->OnValue(device_, entry.inst, frame.observed, value)) {
      status_ = Status::kStopped;
      return;
    }
    frame.observed.clear();
  }
  if (!entry.unused) frame.values[entry.inst.value - frame.plan->first] = std::move(value);
  frame.operands.clear();
  ++frame.next;
}

InstId Machine::waiting_at() const { return frames_.back().plan->order[frames_.back().next].inst; }

OpContext Machine::WaitingContext() { return ContextOf(frames_.back()); }

void Machine::Resume(Value value) {
  status_ = Status::kRunning;
  const Inst& inst = state_.module.inst(waiting_at());
  if (inst.opcode == Opcode::kAsyncStart) return AssignStarted(inst, std::move(value));
  Assign(std::move(value));
}

}  // namespace halo
