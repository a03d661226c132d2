// What one instruction demands of its operands, given what is demanded of its result: the single
// step of input_roles.h.
#ifndef HALO_ANALYSIS_INPUTS_USE_DEMANDS_H_
#define HALO_ANALYSIS_INPUTS_USE_DEMANDS_H_

#include <cstdint>
#include <functional>

#include "halo/ir/module.h"

namespace halo {

struct Demand {
  int64_t limit = 0;   // it is an index below this limit; 0: it is no index
  int64_t summed = 0;  // its products are summed, this many at a time
  bool positive = false;
  bool random_state = false;
  InstId because;

  [[nodiscard]] bool empty() const {
    return limit == 0 && summed == 0 && !positive && !random_state;
  }
};

// Joins another use of the same value into `to`; true if that changed it.
bool Join(const Demand& demand, Demand& to);

// Places `demand` on operand `operand`, which is an array.
using AskOperand = std::function<void(size_t operand, const Demand& demand)>;

// For instructions that return one array and call nothing; `made` is the demand on that array.
void AskOperands(const Module& module, InstId id, const Demand& made, const AskOperand& ask);

}  // namespace halo

#endif  // HALO_ANALYSIS_INPUTS_USE_DEMANDS_H_
