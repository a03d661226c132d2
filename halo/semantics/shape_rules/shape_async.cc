// Shapes of async-start, async-update and async-done: a tuple of operands, result and context while
// the wrapped computation is in flight, its result at the end.
#include <vector>

#include "halo/semantics/facts/async_chain.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

// A prefix of a tuple is what has been bound so far. The empty tuple is a prefix of anything.
bool IsPrefix(const RuleContext& op, ShapeId part, ShapeId whole) {
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_tuple(part)) return SameShape(shapes, part, whole);
  const auto left = shapes.elements(part);
  if (left.empty()) return true;
  if (!shapes.is_tuple(whole) || left.size() > shapes.elements(whole).size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!IsPrefix(op, left[i], shapes.elements(whole)[i])) return false;
  }
  return true;
}

bool NeedAsyncShape(RuleContext& op) {
  const ShapeTable& shapes = op.shapes();
  if (shapes.is_tuple(op.shape()) && shapes.elements(op.shape()).size() >= 2 &&
      shapes.is_tuple(shapes.elements(op.shape())[0])) {
    return true;
  }
  op.Report(Rule::kAsyncShape, op.opcode_text(), " gives ((operands), result, context), not ",
            op.Text(op.shape()));
  return false;
}

bool NeedWrapped(RuleContext& op, CompId comp) {
  const auto parts = op.shapes().elements(op.shape());
  const auto bound = op.shapes().elements(parts[0]);
  bool ok = bound.size() <= op.parameters(comp).size();
  for (size_t i = 0; ok && i < bound.size(); ++i) {
    ok = SameShape(op.shapes(), bound[i], op.parameter_shape(comp, i));
  }
  if (ok && IsPrefix(op, parts[1], op.result_shape(comp))) return true;
  op.Report(Rule::kAsyncWrapped, op.Text(op.shape()), " does not carry the ",
            op.parameters(comp).size(), " parameters and the result ",
            op.Text(op.result_shape(comp)), " of computation ", op.CompName(comp));
  return false;
}

bool NeedThread(RuleContext& op, CompId comp) {
  const std::string_view mine = op.text_or(AttrKey::k_async_execution_thread, "main");
  const std::string_view its = ThreadOf(op.module(), comp);
  // Dumps from 2022 name the thread on the wrapped instruction.
  const Inst& root = op.module().inst(op.module().comp(comp).root);
  if (mine == its || op.module().Find(root, AttrKey::k_thread_name) != nullptr) return true;
  op.Report(Rule::kAsyncThread, "async_execution_thread=", mine, ", computation ",
            op.CompName(comp), " runs on ", its);
  return false;
}

bool NeedBound(RuleContext& op, size_t first_operand, size_t first_bound) {
  const auto bound = op.shapes().elements(op.shapes().elements(op.shape())[0]);
  bool ok = op.operand_count() - first_operand + first_bound == bound.size();
  for (size_t i = first_operand; ok && i < op.operand_count(); ++i) {
    ok = SameShape(op.shapes(), op.operand(i), bound[first_bound + i - first_operand]);
  }
  if (!ok) {
    op.Report(Rule::kAsyncOperands, "the operands are not those of ", op.Text(op.shape()));
  }
  return ok;
}

// Returns the previous instruction in the chain; nothing after a report.
std::optional<InstId> Previous(RuleContext& op) {
  if (op.operand_count() == 0) {
    return op.Fail(Rule::kOperandCount, op.opcode_text(), " has no operands");
  }
  if (IsAsyncSource(op.operand_inst(0).opcode)) return op.operand_id(0);
  return op.Fail(Rule::kAsyncChain, "operand 0 is ", op.module().opcode_text(op.operand_inst(0)),
                 ", not an async-start or async-update");
}

}  // namespace

Inferred InferAsyncStart(RuleContext& op) {
  if (!NeedAsyncShape(op)) return std::nullopt;
  const auto comp = op.called(AttrKey::k_calls);
  if (comp && (!NeedWrapped(op, *comp) || !NeedThread(op, *comp))) return std::nullopt;
  NeedBound(op, 0, 0);
  return std::nullopt;
}

Inferred InferAsyncUpdate(RuleContext& op) {
  if (!NeedAsyncShape(op)) return std::nullopt;
  if (const auto comp = op.called(AttrKey::k_calls); comp && !NeedWrapped(op, *comp)) {
    return std::nullopt;
  }
  const auto previous = Previous(op);
  if (!previous) return std::nullopt;
  const ShapeTable& shapes = op.shapes();
  const ShapeId before = op.module().inst(*previous).shape;
  if (!shapes.is_tuple(before) || shapes.elements(before).size() < 2 ||
      !shapes.is_tuple(shapes.elements(before)[0])) {
    return std::nullopt;
  }
  const auto now = shapes.elements(op.shape());
  if (!IsPrefix(op, shapes.elements(before)[0], now[0]) ||
      !IsPrefix(op, shapes.elements(before)[1], now[1])) {
    return op.Fail(Rule::kAsyncWrapped, op.Text(op.shape()), " does not continue ",
                   op.Text(before));
  }
  NeedBound(op, 1, shapes.elements(shapes.elements(before)[0]).size());
  return std::nullopt;
}

Inferred InferAsyncDone(RuleContext& op) {
  const auto previous = Previous(op);
  if (!previous) return std::nullopt;
  auto comp = op.called(AttrKey::k_calls);
  if (const auto start = AsyncStartOf(op.module(), *previous); !comp && start) {
    comp = RuleContext(op.module(), op.facts(), *start, op.findings()).called(AttrKey::k_calls);
  }
  if (!comp) return std::nullopt;
  if (SameShape(op.shapes(), op.shape(), op.result_shape(*comp))) return std::nullopt;
  return op.Fail(Rule::kAsyncWrapped, "async-done gives ", op.Text(op.shape()), ", computation ",
                 op.CompName(*comp), " ", op.Text(op.result_shape(*comp)));
}

}  // namespace halo
