// Ops that pass values on: tuples, calls, loops, branches, async pairs. What goes in is what comes
// out.
#include "halo/analysis/graph/call_graph.h"
#include "halo/shrink/relations/relations.h"

namespace halo {

// Parameters are the operands from `first_operand` on; the result is the root.
void Relations::Call(InstId id, CompId comp, size_t first_operand) {
  const Computation& called = module_.comp(comp);
  for (uint32_t i = 0; i < called.count; ++i) {
    const InstId at(called.first + i);
    if (inst(at).opcode != Opcode::kParameter) continue;
    const size_t number = first_operand + inst(at).extra;
    if (number < operand_count(id)) Same(of(at), operand_dims(id, number), id);
  }
}

void Relations::RelateConditional(InstId id) {
  std::vector<CompId> comps;
  module_.CalledBy(inst(id), comps);
  for (size_t i = 0; i < comps.size(); ++i) {
    const Computation& called = module_.comp(comps[i]);
    for (uint32_t k = 0; k < called.count; ++k) {
      const InstId at(called.first + k);
      if (inst(at).opcode == Opcode::kParameter && i + 1 < operand_count(id)) {
        Same(of(at), operand_dims(id, i + 1), id);
      }
    }
    Same(of(called.root), of(id), id);
  }
}

// ((operands), result, context...): what is under way.
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
  switch (op.opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kAfterAll: return true;
    case Opcode::kTuple:
      for (size_t i = 0; i < operand_count(id); ++i) {
        Same(operand_dims(id, i), dims_.element(id, static_cast<int64_t>(i)), id);
      }
      return true;
    case Opcode::kGetTupleElement:
      Same(dims_.element(operand(id, 0), module_.IntOr(op.attrs, AttrKey::k_index, 0)), of(id), id);
      return true;
    case Opcode::kAddDependency:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kReverse:
    case Opcode::kCopyDone:
      Same(op.opcode == Opcode::kCopyDone ? dims_.element(operand(id, 0), 0) : operand_dims(id, 0),
           of(id), id);
      return true;
    case Opcode::kCopyStart:
      Same(operand_dims(id, 0), dims_.element(id, 0), id);
      Same(operand_dims(id, 0), dims_.element(id, 1), id);
      return true;
    case Opcode::kWhile: {
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
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kMap: {
      if (op.opcode == Opcode::kMap) {
        for (const InstId each : module_.operands_of(op)) Same(of(each), of(id), id);
        return true;
      }
      std::vector<CompId> comps;
      module_.CalledBy(op, comps);
      for (const CompId comp : comps) {
        Call(id, comp, 0);
        Same(of(module_.comp(comp).root), of(id), id);
      }
      return true;
    }
    case Opcode::kConditional: RelateConditional(id); return true;
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: RelateAsync(id); return true;
    case Opcode::kOutfeed:
    case Opcode::kInfeed: return true;
    case Opcode::kSend: Same(operand_dims(id, 0), dims_.element(id, 0), id); return true;
    case Opcode::kRecv:
    case Opcode::kSendDone: return true;
    case Opcode::kRecvDone:
      Same(dims_.element(operand(id, 0), 0), dims_.element(id, 0), id);
      return true;
    default: return false;
  }
}

}  // namespace halo
