// Ops that pass values on: tuples, calls, loops, branches, async pairs. Inputs and outputs have the
// same dimensions.
#include "halo/analysis/graph/call_graph.h"
#include "halo/ir/op_properties.h"
#include "halo/shrink/relations/relations.h"

namespace halo {

// Parameters are the operands from `first_operand` on; the result is the root.
void Relations::Call(InstId id, CompId comp, size_t first_operand) {
  for (const InstId at : parameters_.of(comp)) {
    const size_t number = first_operand + inst(at).extra;
    if (number < operand_count(id)) Same(of(at), operand_dims(id, number), id);
  }
}

void Relations::RelateConditional(InstId id) {
  std::vector<CompId> comps;
  module_.CalledBy(inst(id), comps);
  for (size_t i = 0; i < comps.size(); ++i) {
    for (const InstId at : parameters_.of(comps[i])) {
      if (i + 1 < operand_count(id)) Same(of(at), operand_dims(id, i + 1), id);
    }
    Same(of(module_.comp(comps[i]).root), of(id), id);
  }
}

// ((operands), result, context...): the state of an async op in flight.
void Relations::RelateAsync(InstId id) {
  const Inst& op = inst(id);
  if (op.opcode == Opcode::kAsyncStart || op.opcode == Opcode::kAsyncUpdate) {
    const bool start = op.opcode == Opcode::kAsyncStart;
    if (start) {
      for (size_t i = 0; i < operand_count(id); ++i) {
        const std::vector<int64_t> path = {0, static_cast<int64_t>(i)};
        Same(operand_dims(id, i), dims_.element(id, path), id);
      }
    } else {
      Same(operand_dims(id, 0), of(id), id);
    }
    std::vector<CompId> comps;
    module_.CalledBy(op, comps);
    for (const CompId comp : comps) {
      if (start) Call(id, comp, 0);
      Same(of(module_.comp(comp).root), dims_.element(id, 1), id);
    }
    return;
  }
  Same(dims_.element(operand(id, 0), 1), of(id), id);
}

bool Relations::RelateStructure(InstId id) {
  const Inst& op = inst(id);
  switch (FlowOf(op.opcode)) {
    case OpFlow::kParameter:
    case OpFlow::kConstant:
    case OpFlow::kDeviceId:
    case OpFlow::kToken:
    case OpFlow::kTransfer: return true;
    case OpFlow::kTuple:
      for (size_t i = 0; i < operand_count(id); ++i) {
        Same(operand_dims(id, i), dims_.element(id, static_cast<int64_t>(i)), id);
      }
      return true;
    case OpFlow::kElement:
      Same(dims_.element(operand(id, 0), module_.IntOr(op.attrs, AttrKey::k_index, 0)), of(id), id);
      return true;
    case OpFlow::kForwards:
    case OpFlow::kReduceDone: Same(operand_dims(id, 0), of(id), id); return true;
    case OpFlow::kStartedResult: Same(dims_.element(operand(id, 0), 1), of(id), id); return true;
    case OpFlow::kCopyDone: Same(dims_.element(operand(id, 0), 0), of(id), id); return true;
    case OpFlow::kCopyStart:
      Same(operand_dims(id, 0), dims_.element(id, 0), id);
      Same(operand_dims(id, 0), dims_.element(id, 1), id);
      return true;
    case OpFlow::kWhile: {
      Same(operand_dims(id, 0), of(id), id);
      std::vector<CompId> comps;
      module_.CalledBy(op, comps);
      for (const CompId comp : comps) Call(id, comp, 0);
      for (const Attr& attr : module_.attrs_of(op)) {
        if (attr.key == AttrKey::k_body) {
          Same(of(module_.comp(CompId(attr.value)).root), of(id), id);
        }
      }
      return true;
    }
    case OpFlow::kCall:
    case OpFlow::kFusion: {
      std::vector<CompId> comps;
      module_.CalledBy(op, comps);
      for (const CompId comp : comps) {
        Call(id, comp, 0);
        Same(of(module_.comp(comp).root), of(id), id);
      }
      return true;
    }
    case OpFlow::kConditional: RelateConditional(id); return true;
    case OpFlow::kAsyncStart:
    case OpFlow::kAsyncUpdate:
    case OpFlow::kAsyncDone: RelateAsync(id); return true;
    case OpFlow::kSend: Same(operand_dims(id, 0), dims_.element(id, 0), id); return true;
    case OpFlow::kRecvDone:
      Same(dims_.element(operand(id, 0), 0), dims_.element(id, 0), id);
      return true;
    default: return false;
  }
}

}  // namespace halo
