// Recognizes collectives in every notation: plain, X-start, wrapped in a computation, or split into
// fusions.
#include "halo/api/info/collective_info.h"

#include <algorithm>

#include "halo/base/capped.h"
#include "halo/ir/op_properties.h"
#include "halo/ir/sharding/replica_groups.h"

namespace halo {
namespace {

constexpr size_t kMaxGroupIds = size_t{1} << 20;

int64_t BytesOf(const Module& module, ShapeId shape) {
  return module.shapes.ByteSize(shape).value_or(0);
}

}  // namespace

Opcode CollectiveOf(const Inst& inst) {
  const Opcode opcode = (inst.flags & kInstSugar) != 0 ? inst.wrapped : inst.opcode;
  if (!HasTrait(opcode, kCollective)) return Opcode::kUnknown;
  if (HasTrait(inst.opcode, kAsyncDone) || HasTrait(inst.opcode, kAsyncUpdate))
    return Opcode::kUnknown;
  return SynchronousOf(opcode);
}

ShapeId ResultShape(const Module& module, const Inst& inst) {
  const bool pairs = inst.opcode == Opcode::kAllGatherStart ||
                     inst.opcode == Opcode::kCollectivePermuteStart ||
                     inst.opcode == Opcode::kAsyncStart || inst.opcode == Opcode::kCopyStart;
  const std::span<const ShapeId> parts = module.shapes.elements(inst.shape);
  if (!pairs || parts.size() < 2) return inst.shape;
  // copy-start puts its result first.
  return parts[inst.opcode == Opcode::kCopyStart ? 0 : 1];
}

CollectiveCounter::CollectiveCounter(const Module& module, const std::vector<RunCount>& runs)
    : module_(module), runs_(runs) {}

void CollectiveCounter::Add(const Inst& inst, CompId comp, bool fused, bool wrapped) {
  const Opcode opcode = CollectiveOf(inst);
  if (opcode == Opcode::kUnknown) return;
  bool async = wrapped || HasTrait(inst.opcode, kAsyncStart);
  const int64_t channel = module_.IntOr(inst.attrs, AttrKey::k_channel_id, -1);
  if (fused && channel >= 0) {
    // TPU splits one collective into several fusions that all carry its channel.
    if (!fused_channels_.insert({opcode, channel}).second) return;
    async = true;
  }
  v0::InfoCollective& collective = by_opcode_[opcode];
  collective.opcode = TextOf(opcode);
  ++collective.count;
  if (async) ++collective.async;
  const int64_t bytes = BytesMoved(inst);
  const RunCount& runs = runs_[comp.index()];
  collective.bytes = AddCapped(collective.bytes, bytes);
  collective.runs = AddCapped(collective.runs, runs.runs);
  collective.run_bytes = AddCapped(collective.run_bytes, MultiplyCapped(bytes, runs.runs));
  collective.runs_at_least = collective.runs_at_least || runs.at_least;
  const int64_t size = GroupSizeOf(inst);
  for (v0::InfoGroupSize& group : collective.group_sizes) {
    if (group.size == size) {
      ++group.count;
      return;
    }
  }
  collective.group_sizes.push_back({size, 1});
}

int64_t CollectiveCounter::BytesMoved(const Inst& inst) const {
  int64_t operand_bytes = 0;
  for (const InstId operand : module_.operands_of(inst)) {
    if (operand.valid()) {
      operand_bytes = AddCapped(operand_bytes, BytesOf(module_, module_.inst(operand).shape));
    }
  }
  return std::max(operand_bytes, BytesOf(module_, ResultShape(module_, inst)));
}

int64_t CollectiveCounter::GroupSizeOf(const Inst& inst) {
  if (const Attr* pairs = module_.Find(inst, AttrKey::k_source_target_pairs)) {
    return pairs->form == AttrForm::kNested ? module_.list(pairs->value)[0] : 0;
  }
  const int64_t everyone = module_.IntOr(module_.attrs, AttrKey::k_replica_count, 1) *
                           module_.IntOr(module_.attrs, AttrKey::k_num_partitions, 1);
  const Attr* groups = module_.Find(inst, AttrKey::k_replica_groups);
  if (groups == nullptr) return everyone;
  const auto [known, fresh] = group_sizes_.try_emplace(groups->value, everyone);
  if (!fresh) return known->second;
  const auto parsed = ParseReplicaGroups(module_.text(StrId(groups->value)));
  if (parsed && parsed->kind == GroupsKind::kIota) {
    known->second = parsed->group_size;
  } else if (parsed) {
    const auto lists = ExpandReplicaGroups(*parsed, kMaxGroupIds);
    if (lists && !lists->empty()) known->second = static_cast<int64_t>(lists->front().size());
  }
  return known->second;
}

std::vector<v0::InfoCollective> CollectiveCounter::Take() {
  std::vector<v0::InfoCollective> all;
  for (auto& [opcode, collective] : by_opcode_) all.push_back(std::move(collective));
  std::sort(all.begin(), all.end(), [](const v0::InfoCollective& a, const v0::InfoCollective& b) {
    return a.run_bytes != b.run_bytes ? a.run_bytes > b.run_bytes : a.opcode < b.opcode;
  });
  return all;
}

}  // namespace halo
