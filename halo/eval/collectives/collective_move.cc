// Collectives that only move data between members: gathers, exchanges and broadcasts.
#include <algorithm>
#include <utility>

#include "halo/eval/collectives/collective_parts.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

std::optional<size_t> OnlyDimension(const OpContext& cx, size_t rank) {
  const std::span<const int64_t> dimensions = cx.ints(AttrKey::k_dimensions);
  if (dimensions.size() != 1 || dimensions[0] < 0 || dimensions[0] >= static_cast<int64_t>(rank)) {
    return std::nullopt;
  }
  return static_cast<size_t>(dimensions[0]);
}

// The members' arrays may differ in the gathered dimension if it is dynamic.
bool AlikeBut(Members members, size_t operand, size_t dim) {
  return std::ranges::all_of(members, [&](const OpContext& cx) {
    if (operand >= cx.operands.size() || !cx.operand(operand).is_array()) return false;
    const Array& first = members[0].array(operand);
    const Array& array = cx.array(operand);
    if (array.type() != first.type() || array.rank() != first.rank()) return false;
    for (size_t i = 0; i < array.rank(); ++i) {
      if (i != dim && array.dim(i) != first.dim(i)) return false;
    }
    return true;
  });
}

Result<Array> Gathered(Members members, size_t operand) {
  const OpContext& cx = members[0];
  if (!cx.operand(operand).is_array()) return CannotCombine(cx, "it gathers arrays only");
  const std::optional<size_t> dim = OnlyDimension(cx, cx.array(operand).rank());
  if (!dim || !AlikeBut(members, operand, *dim)) {
    return CannotCombine(cx, "devices contribute arrays of different shapes");
  }
  Dims dims(cx.array(operand).dims().begin(), cx.array(operand).dims().end());
  dims[*dim] = 0;
  for (const OpContext& member : members) dims[*dim] += member.array(operand).dim(*dim);
  int64_t bytes = 0;
  for (const OpContext& member : members) {
    bytes += static_cast<int64_t>(member.array(operand).byte_count());
  }
  if (auto full = cx.CheckBudget(bytes)) return *std::move(full);
  Array out = cx.Make(cx.array(operand).type(), dims);
  Dims start(dims.size());
  const Dims origin(dims.size());
  for (const OpContext& member : members) {
    const Array& part = member.array(operand);
    CopyBox(part, origin, out, start, part.dims());
    start[*dim] += part.dim(*dim);
  }
  return out;
}

// Sends part p along `dim` of member m's operand to member p, as its part m.
Result<MemberResults> ExchangeParts(Members members) {
  const OpContext& cx = members[0];
  const auto count = static_cast<int64_t>(members.size());
  if (!AllAlike(members, 0))
    return CannotCombine(cx, "devices contribute arrays of different shapes");
  const Array& first = cx.array(0);
  const std::optional<size_t> dim = OnlyDimension(cx, first.rank());
  if (!dim || first.dim(*dim) % count != 0) {
    return CannotCombine(cx, "its dimension does not divide among the group");
  }
  Dims size(first.dims().begin(), first.dims().end());
  size[*dim] /= count;
  MemberResults results(members.size());
  for (int64_t to = 0; to < count; ++to) {
    Array out = cx.Make(first.type(), first.dims());
    Dims take(size.size());
    Dims put(size.size());
    take[*dim] = to * size[*dim];
    for (const OpContext& member : members) {
      CopyBox(member.array(0), take, out, put, size);
      put[*dim] += size[*dim];
    }
    results[static_cast<size_t>(to)].emplace_back(std::move(out));
  }
  return results;
}

// One update of ragged-all-to-all: rows along the first dimension.
struct Rows {
  int64_t input = 0, output = 0, count = 0;
};

int64_t NumberAt(const Array& array, size_t i) {
  return LoadInt(array.type(), array.bytes() + i * array.element_bytes());
}

void SendRows(const Array& input, Rows rows, Array& output) {
  const bool inside = rows.input >= 0 && rows.output >= 0 && rows.count > 0 &&
                      rows.input <= input.dim(0) - rows.count &&
                      rows.output <= output.dim(0) - rows.count;
  if (!inside) return;  // undefined in XLA; we move nothing
  Dims size(input.dims().begin(), input.dims().end());
  size[0] = rows.count;
  Dims take(size.size());
  Dims put(size.size());
  take[0] = rows.input;
  put[0] = rows.output;
  CopyBox(input, take, output, put, size);
}

bool IsRagged(const OpContext& cx, size_t members) {
  if (cx.operands.size() != 6) return false;
  for (const Value& operand : cx.operands) {
    if (!operand.is_array()) return false;
  }
  const Array& input = cx.array(0);
  const Array& output = cx.array(1);
  if (input.rank() == 0 || input.rank() != output.rank() || input.type() != output.type()) {
    return false;
  }
  if (!std::ranges::equal(input.dims().subspan(1), output.dims().subspan(1))) return false;
  const int64_t entries = cx.array(2).count();
  for (size_t i = 2; i < 6; ++i) {
    if (!IsIntegerType(cx.array(i).type()) || cx.array(i).count() != entries) return false;
  }
  return entries % static_cast<int64_t>(members) == 0;
}

}  // namespace

size_t DataOperands(const OpContext& cx) {
  const bool names_root = cx.flag(AttrKey::k_has_dynamic_root) && cx.operands.size() > 1;
  return cx.operands.size() - (names_root ? 1 : 0);
}

size_t RootOf(Members members, size_t operand) {
  const OpContext& cx = members[0];
  if (DataOperands(cx) == cx.operands.size()) return 0;
  const Value& last = cx.operand(cx.operands.size() - 1);
  if (!last.is_array() || !IsIntegerType(last.array().type())) return 0;
  if (static_cast<size_t>(last.array().count()) <= operand) return 0;
  const int64_t root = NumberAt(last.array(), operand);
  return static_cast<size_t>(
      std::clamp<int64_t>(root, 0, static_cast<int64_t>(members.size()) - 1));
}

Result<MemberResults> AllGather(Members members) {
  MemberResults results(members.size());
  for (size_t i = 0; i < members[0].operands.size(); ++i) {
    Result<Array> gathered = Gathered(members, i);
    if (!gathered) return gathered.error();
    for (std::vector<Value>& each : results) each.emplace_back(*gathered);
  }
  return results;
}

Result<MemberResults> AllToAll(Members members) {
  const OpContext& cx = members[0];
  if (!cx.module.shapes.is_tuple(cx.shape())) return ExchangeParts(members);
  const size_t count = members.size();
  MemberResults results(count);
  for (const OpContext& member : members) {
    if (member.operands.size() != count) {
      return CannotCombine(cx, "it has another number of operands than its group has members");
    }
    for (size_t to = 0; to < count; ++to) results[to].push_back(member.operand(to));
  }
  return results;
}

// Operands: input, output, then for each peer: where its rows start, how many there are, where they
// go in its output, and how many rows it sends back.
Result<MemberResults> RaggedAllToAll(Members members) {
  MemberResults results(members.size());
  std::vector<Array> outputs;
  for (const OpContext& cx : members) {
    if (!IsRagged(cx, members.size())) return CannotCombine(cx, "its operands do not fit together");
    if (cx.array(1).type() != members[0].array(0).type() ||
        !std::ranges::equal(cx.array(1).dims().subspan(1), members[0].array(0).dims().subspan(1))) {
      return CannotCombine(cx, "devices contribute arrays of different shapes");
    }
    outputs.push_back(cx.array(1));
  }
  for (const OpContext& cx : members) {
    const size_t each = static_cast<size_t>(cx.array(2).count()) / members.size();
    for (size_t peer = 0; peer < members.size(); ++peer) {
      for (size_t i = peer * each; i < (peer + 1) * each; ++i) {
        const Rows rows = {NumberAt(cx.array(2), i), NumberAt(cx.array(4), i),
                           NumberAt(cx.array(3), i)};
        SendRows(cx.array(0), rows, outputs[peer]);
      }
    }
  }
  for (size_t i = 0; i < members.size(); ++i) results[i].emplace_back(std::move(outputs[i]));
  return results;
}

Result<MemberResults> CollectiveBroadcast(Members members) {
  MemberResults results(members.size());
  for (size_t i = 0; i < DataOperands(members[0]); ++i) {
    const Array& sent = members[RootOf(members, i)].array(i);
    for (std::vector<Value>& each : results) each.emplace_back(sent);
  }
  return results;
}

}  // namespace halo
