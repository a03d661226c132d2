// Whether an instruction reads each element of an operand only to compute the same element of its
// result, so that the result may overwrite the operand as it is written.
#ifndef HALO_ANALYSIS_SHARING_ELEMENTWISE_USE_H_
#define HALO_ANALYSIS_SHARING_ELEMENTWISE_USE_H_

#include <cstddef>

#include "halo/analysis/dataflow/dataflow.h"

namespace halo {

// True if this holds for every operand.
bool IsElementwise(const Dataflow& flow, InstId inst);
bool IsElementwiseOn(const Dataflow& flow, InstId inst, size_t operand);

// The first operand number of `operand`; the operand count if it is not an operand.
size_t OperandNumber(const Module& module, InstId inst, InstId operand);
// How many times `operand` occurs among the operands.
size_t OperandCount(const Module& module, InstId inst, InstId operand);

// The computation of a fusion, its root and its parameters.
CompId FusedComputation(const Module& module, const Inst& fusion);
InstId FusedParameter(const Module& module, const Inst& fusion, size_t number);

}  // namespace halo

#endif  // HALO_ANALYSIS_SHARING_ELEMENTWISE_USE_H_
