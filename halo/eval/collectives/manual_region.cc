// Slices the whole array into shards, and gathers it from them, by the sharding that the border
// specifies.
#include "halo/eval/collectives/manual_region.h"

#include <algorithm>
#include <utility>

#include "halo/eval/collectives/shards.h"
#include "halo/eval/context/call_errors.h"
#include "halo/semantics/devices/manual_borders.h"

namespace halo {
namespace {

Value OneOrTuple(const OpContext& cx, std::vector<Value> parts) {
  if (cx.module.shapes.is_tuple(cx.shape())) return Value::Tuple(std::move(parts));
  return std::move(parts[0]);
}

}  // namespace

Result<Value> EnterManualRegion(OpContext& cx) {
  std::vector<Value> parts;
  if (cx.parts() != cx.operands.size()) {
    return BadCall(cx, "must yield slices of its operands");
  }
  for (size_t i = 0; i < cx.operands.size(); ++i) {
    if (!cx.operand(i).is_array()) return BadCall(cx, "takes arrays");
    const Array& whole = cx.array(i);
    const std::span<const int64_t> wanted = cx.module.shapes.dims(cx.shape(i));
    if (std::ranges::equal(whole.dims(), wanted)) {
      parts.emplace_back(whole);
      continue;
    }
    const std::optional<Sharding> sharding = RegionSharding(cx.module, cx.inst, i);
    const std::optional<Tiling> tiling =
        sharding ? TilingOf(*sharding, whole.dims(), cx.partitions()) : std::nullopt;
    if (!tiling || !std::ranges::equal(tiling->tile, wanted)) {
      return BadCall(cx,
                     "its sharding does not slice the array into shards of the declared shape for "
                     "the running devices");
    }
    parts.emplace_back(ShardOf(whole, *tiling, cx.partition()));
  }
  return OneOrTuple(cx, std::move(parts));
}

Result<MemberResults> LeaveManualRegion(Members members) {
  MemberResults results(members.size());
  OpContext& first = members[0];
  if (first.parts() != first.operands.size()) {
    return BadCall(first, "must yield its gathered operands");
  }
  for (size_t i = 0; i < first.parts(); ++i) {
    if (!AllAlike(members, i)) return CannotCombine(first, "its parts differ in shape");
    const std::span<const int64_t> wanted = first.module.shapes.dims(first.shape(i));
    std::vector<Array> shards;
    for (const OpContext& member : members) shards.push_back(member.array(i));
    Array whole = shards[0];
    if (!std::ranges::equal(whole.dims(), wanted)) {
      const std::optional<Sharding> sharding = RegionSharding(first.module, first.inst, i);
      const std::optional<Tiling> tiling =
          sharding ? TilingOf(*sharding, wanted, static_cast<int64_t>(members.size()))
                   : std::nullopt;
      if (!tiling || !std::ranges::equal(tiling->tile, whole.dims())) {
        return BadCall(first,
                       "its sharding does not yield the declared shape from the shards of the "
                       "running devices");
      }
      whole = GatherShards(shards, *tiling, wanted);
    }
    for (std::vector<Value>& member : results) member.emplace_back(whole);
  }
  return results;
}

}  // namespace halo
