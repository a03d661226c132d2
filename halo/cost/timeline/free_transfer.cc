// Ops that only hand values on take no time and are looked through, up to a number of steps: a
// transfer that they lead too far from stays where it is. Positions are indices of instructions,
// which are in the order of the schedule.
#include "halo/cost/timeline/free_transfer.h"

#include <algorithm>
#include <span>

#include "halo/cost/timeline/queues.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr size_t kMaxSteps = 256;

// Whether an element of a loop's state is known before the iteration begins: one that no iteration
// changes, or a counter.
bool IsKnownAhead(const Module& module, const Computation& body, const Inst& element) {
  const ShapeTable& shapes = module.shapes;
  if (!shapes.is_tuple(element.shape) && shapes.dims(element.shape).empty()) return true;
  const Inst& next = module.inst(body.root);
  const int64_t index = module.IntOr(element.attrs, AttrKey::k_index, -1);
  const std::span<const InstId> elements = module.operands_of(next);
  if (FlowOf(next.opcode) != OpFlow::kTuple || index < 0 ||
      static_cast<size_t>(index) >= elements.size()) {
    return false;
  }
  const InstId handed_on = elements[static_cast<size_t>(index)];
  if (!handed_on.valid()) return false;
  const Inst& same = module.inst(handed_on);
  return FlowOf(same.opcode) == OpFlow::kElement && module.operands_of(same)[0].valid() &&
         FlowOf(module.inst(module.operands_of(same)[0]).opcode) == OpFlow::kParameter &&
         module.IntOr(same.attrs, AttrKey::k_index, -1) == index;
}

}  // namespace

TransferMover::TransferMover(const Module& module) : module_(module), users_(module) {
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    if (FlowOf(module.insts[i].opcode) != OpFlow::kWhile) continue;
    const Attr* body = module.Find(module.insts[i], AttrKey::k_body);
    if (body != nullptr && CompId(body->value).valid()) {
      loops_.emplace(CompId(body->value).value, InstId(i));
    }
  }
}

InstId TransferMover::LoopOf(InstId inst) const {
  const auto found = loops_.find(module_.inst(inst).parent.value);
  return found == loops_.end() ? InstId() : found->second;
}

std::optional<MovedTransfer> TransferMover::AnIterationAhead(InstId start) const {
  if (!LoopOf(start).valid()) return std::nullopt;
  const Computation& body = module_.comp(module_.inst(start).parent);
  std::vector<InstId> needed = {start};
  for (size_t i = 0; i < needed.size(); ++i) {
    if (i >= kMaxSteps) return std::nullopt;
    const Inst& op = module_.inst(needed[i]);
    const OpFlow flow = FlowOf(op.opcode);
    if (flow == OpFlow::kParameter || (i > 0 && IsAsyncDone(op))) return std::nullopt;
    const std::span<const InstId> operands = module_.operands_of(op);
    const bool is_state = flow == OpFlow::kElement && operands[0].valid() &&
                          FlowOf(module_.inst(operands[0]).opcode) == OpFlow::kParameter;
    if (is_state) {
      if (!IsKnownAhead(module_, body, op)) return std::nullopt;
      continue;
    }
    for (const InstId operand : operands) {
      if (!operand.valid()) return std::nullopt;
      if (std::ranges::find(needed, operand) == needed.end()) needed.push_back(operand);
    }
  }
  MovedTransfer move;
  move.start = start;
  if (IsAsyncStart(module_.inst(start))) {
    move.done = DoneOf(start);
    if (!move.done.valid()) return std::nullopt;
  }
  move.issue_before = InstId(body.first);
  move.wait_before = InstId(body.first + body.count - 1);
  return move;
}

InstId TransferMover::DoneOf(InstId start) const {
  std::vector<InstId> at = {start};
  for (size_t i = 0; i < at.size() && i < kMaxSteps; ++i) {
    for (const InstId user : users_.of(at[i])) {
      if (IsAsyncDone(module_.inst(user))) return user;
      if (FlowOf(module_.inst(user).opcode) == OpFlow::kAsyncUpdate) at.push_back(user);
    }
  }
  return {};
}

uint32_t TransferMover::Ready(InstId inst, const std::vector<MovedTransfer>& moved) const {
  const Inst& start = module_.inst(inst);
  uint32_t ready = module_.comp(start.parent).first;
  std::vector<InstId> needed;
  const auto need = [&](const Inst& user) {
    for (const InstId operand : module_.operands_of(user)) {
      if (operand.valid()) needed.push_back(operand);
    }
  };
  need(start);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (i >= kMaxSteps) return inst.value;
    const Inst& op = module_.inst(needed[i]);
    const auto waited = std::find_if(moved.begin(), moved.end(), [&](const MovedTransfer& each) {
      return (each.done.valid() ? each.done : each.start) == needed[i];
    });
    if (waited != moved.end()) {
      ready = std::max(ready, waited->wait_before.value);
    } else if (PassesValuesOn(op.opcode) && !IsAsyncDone(op) && op.operand_count > 0) {
      need(op);
    } else if (FlowOf(op.opcode) != OpFlow::kParameter) {
      ready = std::max(ready, needed[i].value + 1);
    }
  }
  return std::min(ready, inst.value);
}

uint32_t TransferMover::FirstUse(InstId value) const {
  const Computation& comp = module_.comp(module_.inst(value).parent);
  uint32_t first = comp.first + comp.count - 1;
  std::vector<InstId> held = {value};
  for (size_t i = 0; i < held.size(); ++i) {
    if (i >= kMaxSteps) return value.value;
    for (const InstId user : users_.of(held[i])) {
      if (user == comp.root) continue;  // the end of the computation
      if (PassesValuesOn(module_.inst(user).opcode)) {
        held.push_back(user);
      } else {
        first = std::min(first, user.value);
      }
    }
  }
  return first;
}

std::vector<bool> TransferMover::Independent(InstId start) const {
  const Computation& comp = module_.comp(module_.inst(start).parent);
  std::vector<bool> independent(comp.count, true);
  const auto follow = [&](const auto& next) {
    std::vector<InstId> open = {start};
    std::vector<bool> seen(comp.count);
    while (!open.empty()) {
      const InstId at = open.back();
      open.pop_back();
      if (!at.valid() || seen[at.value - comp.first]) continue;
      seen[at.value - comp.first] = true;
      independent[at.value - comp.first] = false;
      const std::span<const InstId> more = next(at);
      open.insert(open.end(), more.begin(), more.end());
    }
  };
  follow([&](InstId at) { return module_.operands_of(module_.inst(at)); });
  follow([&](InstId at) { return users_.of(at); });
  return independent;
}

std::vector<MovedTransfer> TransferMover::Free(const std::vector<InstId>& starts) const {
  std::vector<MovedTransfer> moved;
  for (const InstId start : starts) {
    MovedTransfer move;
    move.start = start;
    if (IsAsyncStart(module_.inst(start))) {
      move.done = DoneOf(start);
      if (!move.done.valid()) continue;
    }
    const InstId value = move.done.valid() ? move.done : start;
    move.issue_before = InstId(Ready(start, moved));
    move.wait_before = InstId(std::max(FirstUse(value), value.value));
    if (move.issue_before.value < move.wait_before.value) moved.push_back(move);
  }
  return moved;
}

}  // namespace halo
