// How much of its operands an op needs to produce a share of its result, and how much of its result
// it writes. Shares are fractions of a whole array in bytes as they are moved, tiles included.
// Fusions combine these (fusion_traffic.h); instructions on their own use them with a share of 1.
#ifndef HALO_COST_COUNT_OP_DEMAND_H_
#define HALO_COST_COUNT_OP_DEMAND_H_

#include <cstdint>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

// True for ops that overwrite a part of operand 0 and pass the rest on: XLA runs them in place.
bool UpdatesInPlace(Opcode opcode);

// The number of operands that such an op updates.
size_t UpdatedOperands(const Inst& inst);

struct UpdateBytes {
  double read = 0, written = 0;
};
// What an update in place reads and writes of the array `i` that it updates.
UpdateBytes BytesOfUpdate(const Module& module, const Inst& inst, size_t i);

// The share of each operand that is needed for `share` of the result. `in_place` means that the
// part of operand 0 that an update leaves alone is not moved.
void OperandShares(const Module& module, const Inst& inst, double share, bool in_place,
                   std::vector<double>& out);

}  // namespace halo

#endif  // HALO_COST_COUNT_OP_DEMAND_H_
