// On one device, a collective gives its operands back: sums, gathered and exchanged parts of a
// group of one. A permute gives zeros unless the device sends to itself. Collectives whose result
// has another shape than their operand are left alone; running them reports why they cannot be.
#include <vector>

#include "halo/ir/op_properties.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/relayout.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

bool KeepsOperands(CollectiveFamily family) {
  switch (family) {
    case CollectiveFamily::kAllReduce:
    case CollectiveFamily::kAllGather:
    case CollectiveFamily::kReduceScatter:
    case CollectiveFamily::kAllToAll: return true;
    default: return false;
  }
}

// The pairs are stored as a count, then for each pair a length and its two devices.
bool SendsToItself(const Module& module, const Inst& inst) {
  const std::span<const int64_t> list = module.IntsOf(inst.attrs, AttrKey::k_source_target_pairs);
  for (size_t at = 1; at + 2 < list.size() && list[at] == 2; at += 3) {
    if (list[at + 1] == 0 && list[at + 2] == 0) return true;
  }
  return false;
}

class Collapser {
 public:
  explicit Collapser(ModuleEditor& edit) : edit_(edit) {}

  // The value of a collective; none if it must stay.
  InstId ValueOf(InstId id) {
    const Inst& inst = edit_.inst(id);
    const CollectiveFamily family = PropertiesOf(inst.opcode).group;
    if (inst.operand_count == 0 || FlowOf(inst.opcode) != OpFlow::kComputed) return {};
    if (KeepsOperands(family)) return Operands(id);
    if (family != CollectiveFamily::kPermute || inst.operand_count != 1 ||
        !edit_.module().shapes.is_array(inst.shape)) {
      return {};
    }
    return SendsToItself(edit_.module(), inst) ? Operands(id) : Zeros(id);
  }

 private:
  InstId Operands(InstId id) {
    const ShapeId shape = edit_.inst(id).shape;
    const ShapeTable& shapes = edit_.module().shapes;
    const std::vector<InstId> operands = edit_.operands(id);
    if (!shapes.is_tuple(shape)) {
      return operands.size() == 1 ? Relayout(edit_, operands[0], shape) : InstId();
    }
    if (shapes.elements(shape).size() != operands.size()) return {};
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!SameButLayout(shapes, edit_.inst(operands[i]).shape, shapes.elements(shape)[i])) {
        return {};
      }
    }
    std::vector<InstId> elements;
    for (size_t i = 0; i < operands.size(); ++i) {
      elements.push_back(Relayout(edit_, operands[i], edit_.module().shapes.elements(shape)[i]));
    }
    return edit_.AddTuple(edit_.inst(id).parent, elements, id);
  }

  InstId Zeros(InstId id) {
    const ShapeId shape = edit_.inst(id).shape;
    const CompId comp = edit_.inst(id).parent;
    const ElementType type = edit_.module().shapes.type(shape);
    const std::vector<uint8_t> bits(StoredBytes(type), 0);
    const InstId zero =
        edit_.AddConstant(comp, DenseShape(edit_.tables().shapes, type, {}), bits, id);
    const Attr dims = edit_.tables().MakeInts(AttrKey::k_dimensions, {});
    return edit_.Add(comp, Opcode::kBroadcast, shape, {zero}, {&dims, 1}, id);
  }

  ModuleEditor& edit_;
};

}  // namespace

bool SingleDevice(Module& module, PassLog& log) {
  ModuleEditor edit(std::move(module));
  Collapser collapser(edit);
  const size_t count = edit.module().insts.size();
  for (size_t i = 0; i < count; ++i) {
    const InstId id(i);
    const InstId value = collapser.ValueOf(id);
    if (!value.valid()) continue;
    log.Note("%", edit.module().name_of(edit.inst(id)), " involves no other device");
    edit.Replace(id, value);
  }
  const bool changed = edit.changed();
  module = edit.Finish();
  return changed;
}

}  // namespace halo
