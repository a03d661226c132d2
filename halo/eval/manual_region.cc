// Parts are found from the sharding that the border states: Shardy's in an attribute, GSPMD's on
// the instruction (way out) or on what it takes (way in).
#include "halo/eval/manual_region.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "halo/eval/call_support.h"
#include "halo/eval/sdy_sharding.h"
#include "halo/eval/shards.h"

namespace halo {
namespace {

constexpr std::string_view kSdyIn = "xla.sdy.GlobalToLocalShape";
constexpr std::string_view kSdyOut = "xla.sdy.LocalToGlobalShape";
constexpr std::string_view kSpmdIn = "SPMDFullToShardShape";
constexpr std::string_view kSpmdOut = "SPMDShardToFullShape";

std::string_view Target(const Module& module, const Inst& inst) {
  return module.TextOr(inst.attrs, AttrKey::k_custom_call_target);
}

std::optional<Sharding> OnlySharding(const Module& module, const Inst& inst) {
  return ParseSharding(module.TextOr(inst.attrs, AttrKey::k_sharding));
}

Value AsDeclared(const OpContext& cx, std::vector<Value> parts) {
  if (cx.module.shapes.is_tuple(cx.shape())) return Value::Tuple(std::move(parts));
  return std::move(parts[0]);
}

}  // namespace

bool EntersManualRegion(const Module& module, const Inst& inst) {
  if (inst.opcode != Opcode::kCustomCall) return false;
  const std::string_view target = Target(module, inst);
  return target == kSdyIn || target == kSpmdIn;
}

bool LeavesManualRegion(const Module& module, const Inst& inst) {
  if (inst.opcode != Opcode::kCustomCall) return false;
  const std::string_view target = Target(module, inst);
  return target == kSdyOut || target == kSpmdOut;
}

std::optional<Sharding> RegionSharding(const Module& module, const Inst& inst, size_t number) {
  const std::string_view target = Target(module, inst);
  const std::span<const InstId> operands = module.operands_of(inst);
  if (target == kSpmdOut) return OnlySharding(module, inst);
  if (target == kSpmdIn) {
    return operands.empty() ? std::nullopt : OnlySharding(module, module.inst(operands[0]));
  }
  const std::string_view key = target == kSdyIn ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings";
  const std::vector<std::string> manual =
      ReadSdyAxes(FrontendAttribute(module, inst.attrs, "xla.sdy.manual_axes"));
  std::optional<std::vector<Sharding>> all =
      ReadSdyShardings(module, FrontendAttribute(module, inst.attrs, key), &manual);
  if (!all || number >= all->size()) return std::nullopt;
  return std::move((*all)[number]);
}

Result<Value> EnterManualRegion(OpContext& cx) {
  std::vector<Value> parts;
  const std::vector<ShapeId> declared = ResultParts(cx);
  if (declared.size() != cx.operands.size()) return BadCall(cx, "yields what it takes, cut");
  for (size_t i = 0; i < cx.operands.size(); ++i) {
    if (!cx.operands[i].is_array()) return BadCall(cx, "takes arrays");
    const Array& whole = cx.array(i);
    const std::span<const int64_t> wanted = cx.module.shapes.dims(declared[i]);
    if (std::ranges::equal(whole.dims(), wanted)) {
      parts.emplace_back(whole);
      continue;
    }
    const std::optional<Sharding> sharding = RegionSharding(cx.module, cx.inst, i);
    const std::optional<Tiling> tiling =
        sharding ? TilingOf(*sharding, whole.dims(), cx.partitions()) : std::nullopt;
    if (!tiling || !std::ranges::equal(tiling->tile, wanted)) {
      return BadCall(cx,
                     "its sharding does not cut the whole into parts of the declared shape for "
                     "the devices that run");
    }
    parts.emplace_back(ShardOf(whole, *tiling, cx.partition()));
  }
  return AsDeclared(cx, std::move(parts));
}

Result<MemberResults> LeaveManualRegion(Members members) {
  MemberResults results(members.size());
  OpContext& first = members[0];
  const std::vector<ShapeId> declared = ResultParts(first);
  if (declared.size() != first.operands.size())
    return BadCall(first, "yields what it takes, whole");
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!AllAlike(members, i)) return CannotJoin(first, "its parts differ in shape");
    const std::span<const int64_t> wanted = first.module.shapes.dims(declared[i]);
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
                       "its sharding does not make the declared shape from the parts of the "
                       "devices that run");
      }
      whole = JoinShards(shards, *tiling, wanted);
    }
    for (std::vector<Value>& member : results) member.emplace_back(whole);
  }
  return results;
}

}  // namespace halo
