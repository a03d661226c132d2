// The building blocks of collectives. Each takes the operands of all members of one group and
// yields each member's results as a list; collectives.cc converts them to the declared form.
#ifndef HALO_EVAL_COLLECTIVES_COLLECTIVE_PARTS_H_
#define HALO_EVAL_COLLECTIVES_COLLECTIVE_PARTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/eval/collectives/collectives.h"
#include "halo/eval/context/op_context.h"

namespace halo {

using Members = std::span<OpContext>;
// [member][result]
using MemberResults = std::vector<std::vector<Value>>;

// Combines the arrays that the members pass as operand `operand` by to_apply, in group order. Sums
// of floats are exact up to one rounding.
Result<Array> ReduceMembers(Members members, size_t operand);

Result<MemberResults> AllReduce(Members members);
Result<MemberResults> ReduceScatter(Members members);
Result<MemberResults> CollectiveReduce(Members members);
Result<MemberResults> AllGather(Members members);
Result<MemberResults> AllToAll(Members members);
Result<MemberResults> RaggedAllToAll(Members members);
Result<MemberResults> CollectiveBroadcast(Members members);
Result<MemberResults> CollectivePermute(Members members, std::span<const int64_t> devices,
                                        const DeviceGrid& grid);

// Copies a box of elements between arrays of the same type and rank. The caller ensures that the
// box is inside both.
void CopyBox(const Array& from, std::span<const int64_t> from_start, Array& to,
             std::span<const int64_t> to_start, std::span<const int64_t> size);

// Returns the diagnostic for members whose arrays cannot be combined.
Diagnostic CannotCombine(const OpContext& cx, const char* why);
// Returns true if operand `operand` of all members is an array of the same type and dimensions.
bool AllAlike(Members members, size_t operand);

// Returns the position in the group of the root for data operand `operand`: the first member, or
// the one that the last operand names for it.
size_t RootOf(Members members, size_t operand);
// Returns the number of operands that carry data: all, or all but the one that names the roots.
size_t DataOperands(const OpContext& cx);

}  // namespace halo

#endif  // HALO_EVAL_COLLECTIVES_COLLECTIVE_PARTS_H_
