// Uses the sharding that the border specifies. GSPMD's is on the instruction (exit) or on its
// operand (entry). Shardy's was in an attribute until jaxlib 0.12; since then it is in these places
// too, and the sharding on the inner side names the axes that are manual.
#include "halo/semantics/devices/manual_borders.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/ir/frontend_attributes.h"
#include "halo/semantics/devices/sdy_sharding.h"

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

// The sharding of an array, or of element `number` of a tuple.
std::optional<Sharding> ShardingOfPart(const Module& module, const Inst& inst, size_t number) {
  std::optional<Sharding> sharding = OnlySharding(module, inst);
  if (!sharding || sharding->kind != ShardingKind::kTuple) return sharding;
  if (number >= sharding->elements.size()) return std::nullopt;
  return std::move(sharding->elements[number]);
}

// The sharding of an operand, which may be an element of a tuple.
std::optional<Sharding> OperandSharding(const Module& module, const Inst& inst, size_t number) {
  const std::span<const InstId> operands = module.operands_of(inst);
  if (number >= operands.size()) return std::nullopt;
  const Inst& operand = module.inst(operands[number]);
  if (operand.opcode != Opcode::kGetTupleElement || operand.operand_count != 1) {
    return ShardingOfPart(module, operand, 0);
  }
  const int64_t index = module.IntOr(operand.attrs, AttrKey::k_index, 0);
  if (index < 0) return std::nullopt;
  const Inst& tuple = module.inst(module.operands_of(operand)[0]);
  return ShardingOfPart(module, tuple, static_cast<size_t>(index));
}

// The sharding outside of the region, without the axes that are not manual inside.
std::optional<Sharding> NamedRegionSharding(const Module& module, const Inst& inst, size_t number) {
  std::optional<Sharding> outside = OperandSharding(module, inst, number);
  std::optional<Sharding> inside = ShardingOfPart(module, inst, number);
  if (LeavesManualRegion(module, inst)) std::swap(inside, outside);
  const bool is_partly_manual =
      inside && inside->kind == ShardingKind::kNamed && inside->form == NamedForm::kDimensions;
  if (!outside || outside->kind != ShardingKind::kNamed || !is_partly_manual) return outside;
  if (inside->mesh != outside->mesh) return std::nullopt;
  for (DimensionAxes& dimension : outside->dimensions) {
    std::erase_if(dimension.axes, [&](const AxisRef& axis) {
      return std::ranges::find(inside->manual_axes, axis) == inside->manual_axes.end();
    });
  }
  return outside;
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
  const std::optional<std::string_view> shardings = FrontendAttribute(module, inst.attrs, key);
  if (!shardings) return NamedRegionSharding(module, inst, number);
  const std::vector<std::string> manual =
      ReadSdyAxes(FrontendAttribute(module, inst.attrs, "xla.sdy.manual_axes").value_or(""));
  std::optional<std::vector<Sharding>> all = ReadSdyShardings(module, *shardings, &manual);
  if (!all || number >= all->size()) return std::nullopt;
  return std::move((*all)[number]);
}

}  // namespace halo
