// In which instructions an operand's memory is also an output's: always, by the meaning of the op
// (a dynamic-update-slice, an aliasing attribute, a fusion built around one), or at the planner's
// choice, because no element is read after its memory was written.
#ifndef HALO_MEMORY_CHECK_CHECK_INPLACE_H_
#define HALO_MEMORY_CHECK_CHECK_INPLACE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/check/check_assignment.h"

namespace halo::check {

struct InPlacePair {
  uint32_t operand = 0;
  std::vector<int64_t> operand_index;
  std::vector<int64_t> output_index;
};

// The pairs that must share, apart from values that an instruction merely forwards.
std::vector<InPlacePair> MustShare(const Module& module, const Inst& inst, CheckRules rules);

// Whether `inst` may write its output at `output_index` over its operand number `operand` while it
// reads it. Returns the byte of the output at which the operand must then begin. The operand is the
// array itself, not a tuple.
std::optional<int64_t> MayOverwrite(const Module& module, const Inst& inst,
                                    std::span<const int64_t> output_index, uint32_t operand,
                                    CheckRules rules);

// Inside a fusion, an array may repeat a parameter of `count` elements: element p, in the order of
// memory, depends on element (p / step) % count of the parameter, and on no other. These return the
// step behind an instruction whose first operand is such an array; nullopt if its result is not.
std::optional<int64_t> StepOfBroadcast(const Module& module, const Inst& broadcast, int64_t step,
                                       int64_t count);
std::optional<int64_t> StepOfReduce(const Module& module, const Inst& reduce, int64_t step,
                                    int64_t count);

// The computation of a fusion; invalid if it is missing.
CompId FusedComputation(const Module& module, const Inst& fusion);

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_INPLACE_H_
