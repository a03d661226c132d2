// Uses the sharding that the border specifies: Shardy's in an attribute, GSPMD's on the instruction
// (exit) or on its operand (entry).
#include "halo/semantics/devices/manual_borders.h"

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
      ReadSdyAxes(FrontendAttribute(module, inst.attrs, "xla.sdy.manual_axes").value_or(""));
  std::optional<std::vector<Sharding>> all =
      ReadSdyShardings(module, FrontendAttribute(module, inst.attrs, key).value_or(""), &manual);
  if (!all || number >= all->size()) return std::nullopt;
  return std::move((*all)[number]);
}

}  // namespace halo
