// How much one element of an op costs, in units of a vectorised addition; what that is worth
// against memory traffic is the fusion pass's to weigh.
#ifndef HALO_PASSES_REWRITE_OP_COST_H_
#define HALO_PASSES_REWRITE_OP_COST_H_

#include "halo/ir/module.h"

namespace halo {

inline int OpCost(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kCopy:
    case Opcode::kIota:
    case Opcode::kConstant:
    case Opcode::kSlice:
    case Opcode::kGetTupleElement:
    case Opcode::kReal:
    case Opcode::kImag: return 0;
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kGather:
    case Opcode::kConcatenate:
    case Opcode::kPad: return 4;
    case Opcode::kCbrt:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kTanh:
    case Opcode::kErf:
    case Opcode::kSin:
    case Opcode::kCos: return 20;
    case Opcode::kPower:
    case Opcode::kTan:
    case Opcode::kAtan2:
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtanh:
    case Opcode::kSinh:
    case Opcode::kCosh:
    case Opcode::kMap: return 60;
    default: return 1;
  }
}

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_OP_COST_H_
