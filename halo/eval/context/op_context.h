// The interface between an op's definition and the evaluator: its instruction, the values of its
// operands, and functions to allocate arrays, call computations and report failures. Definitions
// may rely on the module having passed the verifier, and on nothing else: sizes come from operands,
// and numbers may have any value.
#ifndef HALO_EVAL_CONTEXT_OP_CONTEXT_H_
#define HALO_EVAL_CONTEXT_OP_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/eval/lanes/array.h"
#include "halo/eval/lanes/lane_program.h"
#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

class CustomCallRegistry;
class Machine;
struct EvalOptions;

// The operands of an op, which owns them and may move from them. They can be counted and walked; a
// single one is read with OpContext::operand, which checks its number.
class OperandList {
 public:
  explicit OperandList(std::span<Value> values) : values_(values) {}
  [[nodiscard]] size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

 private:
  std::span<Value> values_;
};

class OpContext {
 public:
  OpContext(Machine& machine, const Module& module, InstId id, Opcode opcode, ShapeId result,
            std::span<Value> operands)
      : module(module),
        id(id),
        inst(module.inst(id)),
        opcode(opcode),
        result(result),
        operands(operands),
        machine_(machine) {}

  const Module& module;
  const InstId id;
  const Inst& inst;
  // The opcode to compute and its declared shape: those of the instruction or, for an async op
  // written as X-start, those of X.
  const Opcode opcode;
  const ShapeId result;
  const OperandList operands;

  // Operands and declared results by number. No earlier pass compares those of a custom call with
  // what its target expects, so numbers are checked here: a part that does not exist, or is no
  // array, reads as an empty one, and the op fails with `refusal` whatever its definition makes of
  // that. To be called by one thread.
  [[nodiscard]] Value& operand(size_t i) const {
    return i < operands.size() ? operands.begin()[static_cast<std::ptrdiff_t>(i)] : NoOperand(i);
  }
  [[nodiscard]] const Array& array(size_t i) const {
    const Value& value = operand(i);
    return value.is_array() ? value.array() : NoArray(i);
  }
  [[nodiscard]] ShapeId operand_shape(size_t i) const;
  // The declared result, and its parts: the elements if it is a tuple, itself if it is none.
  [[nodiscard]] ShapeId shape() const { return result; }
  [[nodiscard]] size_t parts() const;
  [[nodiscard]] ShapeId shape(size_t part) const;
  // Refuses the op if its result or an operand has elements of a type that is unknown.
  void CheckElementTypes() const;
  // Why a part could not be read, if one could not.
  [[nodiscard]] const std::optional<Diagnostic>& refusal() const { return refusal_; }

  // Element type and dimensions of the declared result (bounds for dynamic dimensions).
  [[nodiscard]] ElementType type() const { return module.shapes.type(result); }
  [[nodiscard]] std::span<const int64_t> dims() const { return module.shapes.dims(result); }

  [[nodiscard]] std::span<const int64_t> ints(AttrKey key) const {
    return module.IntsOf(inst.attrs, key);
  }
  [[nodiscard]] int64_t integer(AttrKey key, int64_t fallback) const {
    return module.IntOr(inst.attrs, key, fallback);
  }
  [[nodiscard]] bool flag(AttrKey key, bool fallback = false) const {
    return module.BoolOr(inst.attrs, key, fallback);
  }
  [[nodiscard]] std::string_view text(AttrKey key, std::string_view fallback = {}) const {
    return module.TextOr(inst.attrs, key, fallback);
  }
  // The computation that an attribute names; none if the attribute is missing.
  [[nodiscard]] CompId computation(AttrKey key = AttrKey::k_to_apply) const;

  // Returns a new array of zero bits. Call CheckBudget first if a size does not follow from the
  // declared result.
  [[nodiscard]] Array Make(ElementType type, std::span<const int64_t> dims) const;
  [[nodiscard]] Array MakeResult() const { return Make(type(), dims()); }
  // Returns a diagnostic if allocating `bytes` more would exceed the limit.
  [[nodiscard]] std::optional<Diagnostic> CheckBudget(int64_t bytes) const;

  // Counts work (elements computed) against the budget. Returns a diagnostic once it is used up.
  [[nodiscard]] std::optional<Diagnostic> Spend(int64_t work) const;

  // Returns the computation as a lane program, compiled once; null if it does not qualify.
  [[nodiscard]] LaneProgram* Lanes(CompId comp) const;
  // Evaluates a computation on whole values.
  [[nodiscard]] Result<Value> Call(CompId comp, std::vector<Value> arguments) const;

  // The device that this op runs on.
  [[nodiscard]] int64_t device() const;
  [[nodiscard]] int64_t replica() const;
  [[nodiscard]] int64_t partition() const;
  [[nodiscard]] int64_t partitions() const;  // per replica
  [[nodiscard]] bool threads() const;
  [[nodiscard]] const EvalOptions& options() const;
  [[nodiscard]] const CustomCallRegistry& custom_calls() const;
  // Returns how often this instruction has drawn random numbers on this device before.
  [[nodiscard]] uint64_t CountDraw() const;
  // The slot that keeps a constant's value from one execution to the next.
  [[nodiscard]] Value& ConstantSlot() const;

  // Builds "instruction %name: message", with the code's default advice unless `help` is given.
  [[nodiscard]] Diagnostic Fail(DiagCode code, std::string message, std::string help = {}) const;

 private:
  // Note the refusal and return what is read instead.
  Value& NoOperand(size_t i) const;
  const Array& NoArray(size_t i) const;
  void Refuse(const std::string& what) const;

  Machine& machine_;
  mutable std::optional<Diagnostic> refusal_;
  mutable Value nothing_;
};

using OpFunction = Result<Value> (*)(OpContext& cx);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_OP_CONTEXT_H_
