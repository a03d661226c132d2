// Collectives that combine the members' operands: all-reduce, reduce-scatter and collective-reduce.
#include <cstring>
#include <utility>
#include <vector>

#include "halo/eval/collectives/collective_parts.h"
#include "halo/eval/collectives/member_fold.h"

namespace halo {
namespace {

// Combines one element at a time, for computations that are more than scalar arithmetic.
std::optional<Diagnostic> CallEach(Members members, size_t operand, CompId comp, Array& out) {
  const OpContext& cx = members[0];
  const size_t bytes = out.element_bytes();
  const auto scalar_at = [&](const Array& array, size_t i) {
    Array scalar = cx.Make(array.type(), {});
    std::memcpy(scalar.MutableBytes(), array.bytes() + i * bytes, bytes);
    return scalar;
  };
  for (size_t i = 0; i < static_cast<size_t>(out.count()); ++i) {
    Value total = scalar_at(cx.array(operand), i);
    for (const OpContext& member : members.subspan(1)) {
      std::vector<Value> arguments = {total, scalar_at(member.array(operand), i)};
      Result<Value> next = cx.Call(comp, std::move(arguments));
      if (!next) return next.error();
      total = *std::move(next);
      if (!total.is_array() || total.array().type() != out.type() || total.array().count() != 1) {
        return CannotCombine(cx, "its computation does not combine two elements into one");
      }
    }
    std::memcpy(out.MutableBytes() + i * bytes, total.array().bytes(), bytes);
  }
  return std::nullopt;
}

}  // namespace

Result<Array> ReduceMembers(Members members, size_t operand) {
  const OpContext& cx = members[0];
  if (!AllAlike(members, operand))
    return CannotCombine(cx, "devices contribute arrays of different shapes");
  const Array& first = cx.array(operand);
  if (members.size() == 1) return first;
  const auto bytes = static_cast<int64_t>(first.byte_count());
  if (auto full = cx.CheckBudget(bytes)) return *std::move(full);
  if (auto spent = cx.Spend(first.count())) return *std::move(spent);
  const CompId comp = cx.computation();
  if (!comp.valid()) return CannotCombine(cx, "it names no computation to combine with");
  Array out = cx.Make(first.type(), first.dims());
  LaneProgram* const program = cx.Lanes(comp);
  if (program == nullptr || !FoldsType(*program, first.type())) {
    if (auto failed = CallEach(members, operand, comp, out)) return *std::move(failed);
    return out;
  }
  std::vector<const uint8_t*> in;
  for (const OpContext& member : members) in.push_back(member.array(operand).bytes());
  FoldMembers(*program, first.type(), in, out.MutableBytes(), static_cast<size_t>(out.count()));
  return out;
}

Result<MemberResults> AllReduce(Members members) {
  MemberResults results(members.size());
  for (size_t i = 0; i < members[0].operands.size(); ++i) {
    Result<Array> total = ReduceMembers(members, i);
    if (!total) return total.error();
    for (std::vector<Value>& each : results) each.emplace_back(*total);
  }
  return results;
}

Result<MemberResults> ReduceScatter(Members members) {
  const OpContext& cx = members[0];
  const std::span<const int64_t> dimensions = cx.ints(AttrKey::k_dimensions);
  MemberResults results(members.size());
  for (size_t i = 0; i < cx.operands.size(); ++i) {
    Result<Array> total = ReduceMembers(members, i);
    if (!total) return total.error();
    const auto count = static_cast<int64_t>(members.size());
    if (dimensions.size() != 1 || dimensions[0] < 0 ||
        dimensions[0] >= static_cast<int64_t>(total->rank()) ||
        total->dim(static_cast<size_t>(dimensions[0])) % count != 0) {
      return CannotCombine(cx, "its dimension does not divide among the group");
    }
    const auto dim = static_cast<size_t>(dimensions[0]);
    Dims size(total->dims().begin(), total->dims().end());
    size[dim] /= count;
    Dims start(size.size());
    const Dims origin(size.size());
    for (std::vector<Value>& each : results) {
      Array part = cx.Make(total->type(), size);
      CopyBox(*total, start, part, origin, size);
      start[dim] += size[dim];
      each.emplace_back(std::move(part));
    }
  }
  return results;
}

// Only the root receives the total; the others receive zeros.
Result<MemberResults> CollectiveReduce(Members members) {
  const OpContext& cx = members[0];
  MemberResults results(members.size());
  for (size_t i = 0; i < DataOperands(cx); ++i) {
    Result<Array> total = ReduceMembers(members, i);
    if (!total) return total.error();
    const size_t root = RootOf(members, i);
    for (size_t m = 0; m < members.size(); ++m) {
      results[m].emplace_back(m == root ? *total : cx.Make(total->type(), total->dims()));
    }
  }
  return results;
}

}  // namespace halo
