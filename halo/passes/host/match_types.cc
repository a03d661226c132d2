// Ops that only move elements may have operands of another precision than their result (TPU's
// compiler produces these). A convert in front makes the conversion explicit, so that later passes
// need not know about it.
#include <string>
#include <utility>
#include <vector>

#include "halo/ir/op_properties.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// Operands [first, last) become elements of the result.
struct Moved {
  size_t first = 0, last = 0;
};

Moved MovedOperands(const Inst& inst) {
  switch (PropertiesOf(inst.opcode).elements) {
    case OpElements::kAll:
    case OpElements::kConcatenated:
      // A collective gathers each operand separately.
      return HasTrait(inst.opcode, kCollective) ? Moved{} : Moved{0, inst.operand_count};
    case OpElements::kFirst:
    case OpElements::kSliced:
    case OpElements::kGathered:
      return PropertiesOf(inst.opcode).category == OpCategory::kMovement ? Moved{0, 1} : Moved{};
    case OpElements::kUpdated: return {0, 2};
    case OpElements::kChosen: return {1, 3};
    default: return {};
  }
}

}  // namespace

bool MatchTypes(Module& module, PassLog& log) {
  ModuleEditor edit(std::move(module));
  const size_t count = edit.module().insts.size();
  for (size_t i = 0; i < count; ++i) {
    const InstId id(i);
    const Moved moved = MovedOperands(edit.inst(id));
    for (size_t k = moved.first; k < moved.last && k < edit.inst(id).operand_count; ++k) {
      const InstId operand = edit.operand(id, k);
      const ShapeTable& shapes = edit.module().shapes;
      const ElementType type = shapes.type(edit.inst(id).shape);
      const ShapeId from = edit.inst(operand).shape;
      if (shapes.type(from) == type || !shapes.is_array(from) || !IsArrayType(type)) continue;
      log.Note("%", edit.module().name_of(edit.inst(id)), " gets operand ", std::to_string(k),
               " in its own precision");
      const std::vector<int64_t> dims(shapes.dims(from).begin(), shapes.dims(from).end());
      const ShapeId to = edit.tables().shapes.Array(type, dims, {}, shapes.layout_id(from));
      edit.SetOperand(id, k,
                      edit.Add(edit.inst(id).parent, Opcode::kConvert, to, {operand}, {}, operand));
    }
  }
  const bool changed = edit.changed();
  module = edit.Finish();
  return changed;
}

}  // namespace halo
