// Walks from the root back to the instruction that states a sharding.
#include "halo/api/run/result_sharding.h"

#include <algorithm>
#include <utility>

#include "halo/base/strings/text_buffer.h"
#include "halo/proto/parts/sharding_proto.h"
#include "halo/proto/wire/wire.h"
#include "halo/semantics/devices/manual_borders.h"

namespace halo {
namespace {

constexpr int kMaxFollowed = 8;

// Fields of HloModuleProto that a Module does not store.
constexpr uint32_t kSpmdOutputSharding = 12;

}  // namespace

std::optional<Sharding> ShardingOfLeaf(std::string_view text, size_t leaf) {
  std::optional<Sharding> stated = ParseSharding(text);
  if (!stated || stated->kind != ShardingKind::kTuple) return stated;
  if (leaf >= stated->elements.size()) return std::nullopt;
  return std::move(stated->elements[leaf]);
}

std::string PartitionedResultSharding(const DocumentModule& module) {
  for (const std::string_view field : module.proto.kept_fields) {
    WireReader reader(field);
    std::string_view sharding;
    if (!reader.Next() || reader.field() != kSpmdOutputSharding || !reader.Get(sharding)) continue;
    TextBuffer text;
    if (PrintOpSharding(sharding, 0, text)) return text.str();
  }
  return {};
}

std::optional<Sharding> ResultSharding(const Module& module, size_t leaf) {
  const Inst* inst = &module.inst(module.comp(module.entry).root);
  if (std::optional<Sharding> stated =
          ShardingOfLeaf(module.TextOr(inst->attrs, AttrKey::k_sharding), leaf)) {
    return stated;
  }
  for (int i = 0; i < kMaxFollowed && inst->operand_count > 0; ++i) {
    if (LeavesManualRegion(module, *inst)) return RegionSharding(module, *inst, leaf);
    const std::span<const InstId> operands = module.operands_of(*inst);
    if (inst->opcode == Opcode::kTuple) {
      if (leaf >= operands.size()) break;
      inst = &module.inst(operands[leaf]);
      leaf = 0;
    } else if (inst->opcode == Opcode::kGetTupleElement) {
      leaf = static_cast<size_t>(module.IntOr(inst->attrs, AttrKey::k_index, 0));
      inst = &module.inst(operands[0]);
    } else {
      break;
    }
  }
  return std::nullopt;
}

bool LooksPartitioned(const Module& module) {
  if (module.is_scheduled()) return true;
  const bool has_borders = std::ranges::any_of(
      module.insts, [&](const Inst& inst) { return LeavesManualRegion(module, inst); });
  if (has_borders) return false;
  return std::ranges::any_of(module.insts, [](const Inst& inst) {
    return inst.opcode == Opcode::kPartitionId || IsCollectiveOp(inst.opcode);
  });
}

}  // namespace halo
