// Maps an opcode to what its group computes, and bare results to the form that the instruction
// declares: an array, a tuple, or the tuple of operands, results and contexts that a start yields.
#include "halo/eval/collectives/collectives.h"

#include <algorithm>
#include <utility>

#include "halo/eval/collectives/collective_parts.h"
#include "halo/eval/collectives/manual_region.h"
#include "halo/eval/context/converted.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

bool HasDims(const Module& module, ShapeId shape, const Array& array) {
  const std::span<const int64_t> want = module.shapes.dims(shape);
  if (!module.shapes.is_array(shape) || want.size() != array.rank()) return false;
  for (size_t i = 0; i < want.size(); ++i) {
    if (array.dim(i) != want[i] && !module.shapes.is_dynamic(shape, i)) return false;
  }
  return array.type() == module.shapes.type(shape);
}

// A group with fewer devices than the program was compiled for yields sizes that differ from the
// declared ones.
Result<Value> AsDeclared(const OpContext& cx, ShapeId shape, std::vector<Value> results) {
  const ShapeTable& shapes = cx.module.shapes;
  const bool is_tuple = shapes.is_tuple(shape);
  const size_t declared = is_tuple ? shapes.elements(shape).size() : 1;
  if (declared != results.size()) return CannotCombine(cx, "another number of results is declared");
  for (size_t i = 0; i < results.size(); ++i) {
    const ShapeId part = is_tuple ? shapes.elements(shape)[i] : shape;
    if (!results[i].is_array()) continue;
    if (shapes.is_array(part) && IsOtherPrecision(results[i].array().type(), shapes.type(part))) {
      results[i] = Value(Converted(cx, results[i].array(), shapes.type(part)));
    }
    if (!HasDims(cx.module, part, results[i].array())) {
      return CannotCombine(cx, "the group's size does not yield the declared shape");
    }
  }
  if (!is_tuple) return std::move(results[0]);
  return Value::Tuple(std::move(results));
}

// Builds (operand, result, contexts...). Each of the first two is a tuple if there are several.
Result<Value> AsStarted(OpContext& cx, std::vector<Value> results) {
  const ShapeTable& shapes = cx.module.shapes;
  if (!shapes.is_tuple(cx.shape()) || shapes.elements(cx.shape()).size() < 2) {
    return CannotCombine(cx, "its start form is a tuple of operands and results");
  }
  const std::span<const ShapeId> parts = shapes.elements(cx.shape());
  Result<Value> result = AsDeclared(cx, parts[1], std::move(results));
  if (!result) return result;
  std::vector<Value> values;
  if (shapes.is_tuple(parts[0])) {
    values.push_back(Value::Tuple({cx.operands.begin(), cx.operands.end()}));
  } else if (!cx.operands.empty()) {
    values.push_back(cx.operand(0));
  }
  values.push_back(*std::move(result));
  for (size_t i = 2; i < parts.size(); ++i) {
    if (!shapes.is_array(parts[i])) {
      values.push_back(Value::Token());
    } else {
      values.emplace_back(cx.Make(shapes.type(parts[i]), shapes.dims(parts[i])));
    }
  }
  return Value::Tuple(std::move(values));
}

Result<MemberResults> Compute(Members members, std::span<const int64_t> devices,
                              const DeviceGrid& grid) {
  switch (PropertiesOf(members[0].opcode).group) {
    case CollectiveFamily::kAllReduce: return AllReduce(members);
    case CollectiveFamily::kReduceScatter: return ReduceScatter(members);
    case CollectiveFamily::kReduce: return CollectiveReduce(members);
    case CollectiveFamily::kAllGather: return AllGather(members);
    case CollectiveFamily::kAllToAll: return AllToAll(members);
    case CollectiveFamily::kRaggedAllToAll: return RaggedAllToAll(members);
    case CollectiveFamily::kBroadcast: return CollectiveBroadcast(members);
    case CollectiveFamily::kPermute: return CollectivePermute(members, devices, grid);
    case CollectiveFamily::kNone: break;
  }
  if (members[0].opcode == Opcode::kCustomCall) return LeaveManualRegion(members);
  return CannotCombine(members[0], "this collective is not supported");
}

bool HasStartForm(Opcode opcode) {
  return opcode == Opcode::kAllGatherStart || opcode == Opcode::kCollectivePermuteStart;
}

}  // namespace

Diagnostic CannotCombine(const OpContext& cx, const char* why) {
  return cx.Fail(diag::kCannotEvaluate, why);
}

bool AllAlike(Members members, size_t operand) {
  return std::ranges::all_of(members, [&](const OpContext& cx) {
    if (operand >= cx.operands.size() || !cx.operand(operand).is_array()) return false;
    if (operand >= members[0].operands.size()) return false;
    const Array& first = members[0].array(operand);
    const Array& array = cx.array(operand);
    return array.type() == first.type() && std::ranges::equal(array.dims(), first.dims());
  });
}

void CopyBox(const Array& from, std::span<const int64_t> from_start, Array& to,
             std::span<const int64_t> to_start, std::span<const int64_t> size) {
  if (ElementsIn(size) == 0) return;
  const Dims from_strides = RowMajorStrides(from.dims());
  const Dims to_strides = RowMajorStrides(to.dims());
  int64_t from_at = 0;
  int64_t to_at = 0;
  for (size_t i = 0; i < size.size(); ++i) {
    from_at += from_start[i] * from_strides[i];
    to_at += to_start[i] * to_strides[i];
  }
  const auto bytes = static_cast<int64_t>(from.element_bytes());
  StridedCopy(from.element_bytes(), size, from.bytes() + from_at * bytes, from_strides,
              to.MutableBytes() + to_at * bytes, to_strides);
}

Result<std::vector<Value>> EvalCollective(std::span<OpContext> members,
                                          std::span<const int64_t> devices,
                                          const DeviceGrid& grid) {
  for (const OpContext& cx : members) {
    cx.CheckElementTypes();
    if (cx.refusal()) return *cx.refusal();
  }
  Result<MemberResults> results = Compute(members, devices, grid);
  for (const OpContext& cx : members) {
    if (cx.refusal()) return *cx.refusal();
  }
  if (!results) return results.error();
  std::vector<Value> values;
  for (size_t i = 0; i < members.size(); ++i) {
    OpContext& cx = members[i];
    Result<Value> value = HasStartForm(cx.opcode)
                              ? AsStarted(cx, std::move((*results)[i]))
                              : AsDeclared(cx, cx.shape(), std::move((*results)[i]));
    if (!value) return value.error();
    values.push_back(*std::move(value));
  }
  return values;
}

// The start already computed the result. all-reduce-start yields it without operands or contexts.
Result<Value> EvalCollectiveDone(OpContext& cx) {
  if (cx.opcode == Opcode::kAllReduceDone) return std::move(cx.operand(0));
  if (cx.operand(0).elements().size() < 2)
    return CannotCombine(cx, "its operand is not a start op");
  return cx.operand(0).elements()[1];
}

}  // namespace halo
