// Collectives that combine what members bring: all-reduce, reduce-scatter and collective-reduce.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "halo/eval/collective_parts.h"
#include "halo/eval/lanes.h"

namespace halo {
namespace {

// Folds the members' elements a block of lanes at a time; rounded when they are stored.
template <class Combine>
void FoldBlocks(Members members, size_t operand, Array& out, const Combine& combine) {
  const ElementType type = out.type();
  const size_t bytes = out.element_bytes();
  const auto count = static_cast<size_t>(out.count());
  uint8_t* const to = out.MutableBytes();
  LaneBlock total;
  LaneBlock next;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t n = std::min(kBlock, count - begin);
    LoadLanes(type, members[0].array(operand).bytes() + begin * bytes, 1, n, total.bytes);
    for (const OpContext& cx : members.subspan(1)) {
      LoadLanes(type, cx.array(operand).bytes() + begin * bytes, 1, n, next.bytes);
      combine(total, next, n);
    }
    StoreLanes(type, total.bytes, n, to + begin * bytes);
  }
}

// Sums in wide numbers, without rounding on the way.
template <class Lane>
void SumBlocks(Members members, size_t operand, Array& out) {
  FoldBlocks(members, operand, out, [](LaneBlock& total, const LaneBlock& next, size_t n) {
    for (size_t i = 0; i < n; ++i) total.as<Lane>()[i] += next.as<Lane>()[i];
  });
}

void RunBlocks(Members members, size_t operand, LaneProgram& program, Array& out) {
  FoldBlocks(members, operand, out, [&program](LaneBlock& total, const LaneBlock& next, size_t n) {
    const std::array<const void*, 2> in = {total.bytes, next.bytes};
    const std::array<void*, 1> result = {total.bytes};
    program.Run(in, result, n);
  });
}

// One element at a time, for computations that are more than arithmetic on scalars.
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
        return CannotJoin(cx, "its computation does not combine two elements into one");
      }
    }
    std::memcpy(out.MutableBytes() + i * bytes, total.array().bytes(), bytes);
  }
  return std::nullopt;
}

bool Fits(const LaneProgram& program, ElementType type) {
  return program.parameter_types().size() == 2 && program.result_types().size() == 1 &&
         program.parameter_types()[0] == type && program.parameter_types()[1] == type &&
         program.result_types()[0] == type;
}

}  // namespace

Result<Array> ReduceMembers(Members members, size_t operand) {
  const OpContext& cx = members[0];
  if (!AllAlike(members, operand))
    return CannotJoin(cx, "devices bring arrays of different shapes");
  const Array& first = cx.array(operand);
  if (members.size() == 1) return first;
  const auto bytes = static_cast<int64_t>(first.byte_count());
  if (auto full = cx.Room(bytes)) return *std::move(full);
  if (auto spent = cx.Spend(first.count())) return *std::move(spent);
  const CompId comp = cx.computation();
  if (!comp.valid()) return CannotJoin(cx, "it names no computation to combine with");
  Array out = cx.Make(first.type(), first.dims());
  LaneProgram* const program = cx.Lanes(comp);
  const LaneKind kind = LaneKindOf(first.type());
  if (program == nullptr || !Fits(*program, first.type())) {
    if (auto failed = CallEach(members, operand, comp, out)) return *std::move(failed);
  } else if (program->simple_binary() == Opcode::kAdd && kind == LaneKind::kFloat) {
    SumBlocks<double>(members, operand, out);
  } else if (program->simple_binary() == Opcode::kAdd && kind == LaneKind::kComplex) {
    SumBlocks<std::complex<double>>(members, operand, out);
  } else {
    RunBlocks(members, operand, *program, out);
  }
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
      return CannotJoin(cx, "its dimension does not divide among the group");
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

// Only the root gets the total; the others keep what they brought, which nothing may rely on.
Result<MemberResults> CollectiveReduce(Members members) {
  const size_t root = RootOf(members);
  MemberResults results(members.size());
  for (size_t i = 0; i < DataOperands(members[0]); ++i) {
    Result<Array> total = ReduceMembers(members, i);
    if (!total) return total.error();
    for (size_t m = 0; m < members.size(); ++m) {
      results[m].emplace_back(m == root ? *total : members[m].array(i));
    }
  }
  return results;
}

}  // namespace halo
