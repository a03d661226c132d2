// Callees first, so that the signature of a call includes those of its callees.
#include "halo/view/model/signatures.h"

#include "halo/base/hash.h"

namespace halo::view {
namespace {

uint64_t Mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2);
  return a * 0x94D049BB133111EBull;
}

bool Matters(AttrKey key) {
  switch (key) {
    case AttrKey::k_metadata:
    case AttrKey::k_backend_config:
    case AttrKey::k_frontend_attributes:
    case AttrKey::k_channel_id:
    case AttrKey::k_sharding:
    case AttrKey::k_slice:
    case AttrKey::k_control_predecessors: return false;
    default: return true;
  }
}

bool IsComputation(AttrKey key) {
  const AttrKind kind = InfoOf(key).kind;
  return kind == AttrKind::kComp || kind == AttrKind::kCompList || kind == AttrKind::kInsts;
}

}  // namespace

Signatures::Signatures(const Module& module, const CallGraph& calls) : module_(module) {
  attrs_.resize(module.attr_lists.size());
  for (uint32_t list = 0; list < module.attr_lists.size(); ++list) {
    uint64_t hash = 1;
    for (const Attr& attr : module.attrs_of(AttrListId(list))) {
      if (!Matters(attr.key) || IsComputation(attr.key)) continue;
      // Values are interned, so equal ones have equal numbers.
      hash = Mix(hash, (uint64_t{static_cast<uint16_t>(attr.key)} << 32) | attr.value);
    }
    attrs_[list] = hash;
  }
  insts_.assign(module.insts.size(), 0);
  comps_.assign(module.comps.size(), 0);
  std::vector<bool> done(module.comps.size(), false);
  const auto visit = [&](CompId id) {
    if (done[id.index()]) return;
    done[id.index()] = true;
    const Computation& comp = module.comp(id);
    uint64_t hash = comp.count;
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      insts_[i] = Own(module.insts[i]);
      hash = Mix(hash, insts_[i]);
      for (const InstId operand : module.operands_of(module.insts[i])) {
        hash = Mix(hash, operand.valid() ? operand.value - comp.first : 0);
      }
    }
    comps_[id.index()] = hash;
  };
  for (const CompId id : calls.post_order()) visit(id);
  for (size_t i = 0; i < module.comps.size(); ++i) visit(CompId(i));
}

uint64_t Signatures::Own(const Inst& inst) const {
  uint64_t hash = Mix(static_cast<uint8_t>(inst.opcode), inst.shape.value);
  hash = Mix(hash, inst.operand_count);
  hash = Mix(hash, attrs_[inst.attrs.index()]);
  if (inst.opcode == Opcode::kUnknown) hash = Mix(hash, inst.extra);
  if ((inst.flags & kInstSugar) != 0) hash = Mix(hash, static_cast<uint8_t>(inst.wrapped));
  std::vector<CompId> called;
  module_.CalledBy(inst, called);
  for (const CompId each : called) hash = Mix(hash, comps_[each.index()]);
  return hash;
}

}  // namespace halo::view
