// The pieces that collectives are made of. Each takes what the members of one group bring and
// yields, per member, its results one by one; collectives.cc gives them the declared form.
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

// The members' arrays `operand` combined by to_apply, in the group's order. Sums of floats are
// exact up to one rounding.
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

// Copies a box of elements between arrays of one type and rank. The caller has made sure that it
// lies within both.
void CopyBox(const Array& from, std::span<const int64_t> from_start, Array& to,
             std::span<const int64_t> to_start, std::span<const int64_t> size);

// The diagnostic that members bring arrays that cannot be joined.
Diagnostic CannotJoin(const OpContext& cx, const char* why);
// True if operand `operand` of all members is an array of one type and the same dimensions.
bool AllAlike(Members members, size_t operand);

// Position in the group of who speaks for all: the first, or whom the last operand names.
size_t RootOf(Members members);
// Operands that carry data: all, or all but the one that names the root.
size_t DataOperands(const OpContext& cx);

}  // namespace halo

#endif  // HALO_EVAL_COLLECTIVES_COLLECTIVE_PARTS_H_
