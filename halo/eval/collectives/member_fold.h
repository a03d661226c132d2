// Combines the elements of several arrays by a reduction computation, in order. all-reduce and
// similar collectives use it to combine their members' operands.
#ifndef HALO_EVAL_COLLECTIVES_MEMBER_FOLD_H_
#define HALO_EVAL_COLLECTIVES_MEMBER_FOLD_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "halo/eval/lanes/lane_program.h"

namespace halo {

// Returns true if the program combines two elements of this type into one.
bool FoldsType(const LaneProgram& program, ElementType type);

// out[i] = f(...f(in[0][i], in[1][i])..., in.back()[i]); `out` may be one of `in`. Float and
// complex sums are accumulated in double and rounded once. Requires FoldsType(program, type).
void FoldMembers(LaneProgram& program, ElementType type, std::span<const uint8_t* const> in,
                 uint8_t* out, size_t count);

}  // namespace halo

#endif  // HALO_EVAL_COLLECTIVES_MEMBER_FOLD_H_
