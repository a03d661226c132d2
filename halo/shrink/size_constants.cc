// If the uses of a constant disagree, the first one that changes it wins: one instruction can hold
// only one value.
#include "halo/shrink/size_constants.h"

#include <algorithm>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

const std::vector<DimId> kNone;

}  // namespace

SizeConstants::SizeConstants(const Module& module, DimSpace& space, const DimTable& dims,
                             const Quantities& quantities)
    : module_(module), space_(space), dims_(dims), quantities_(quantities) {
  for (const Quantities::IndexUse& use : quantities.index_uses()) {
    const bool own = module.inst(use.inst).opcode == Opcode::kIota;
    const InstId holder = own ? use.inst : module.operands_of(module.inst(use.inst))[use.operand];
    if (use.dim < dims.of(holder).size()) {
      indexed_[use.quantity].push_back(dims.of(holder)[use.dim]);
    }
  }
}

const std::vector<DimId>& SizeConstants::IndexedBy(uint32_t quantity) const {
  const auto found = indexed_.find(quantity);
  return found == indexed_.end() ? kNone : found->second;
}

void SizeConstants::Relate(const DeviceAxes& devices) {
  for (const Quantities::IndexUse& use : quantities_.index_uses()) {
    if (!quantities_.IsDeviceNumber(use.quantity)) continue;
    if (module_.inst(use.inst).opcode != Opcode::kDynamicSlice) continue;
    const DimId dim = dims_.of(module_.operands_of(module_.inst(use.inst))[0])[use.dim];
    if (space_.size(dim) == devices.count()) space_.Unify(dim, devices.node(), use.inst);
  }
  for (const uint32_t counter : quantities_.loop_counters()) {
    const auto found = indexed_.find(counter);
    if (found == indexed_.end()) continue;
    for (const DimId dim : found->second) {
      for (const Quantities::IndexUse& use : quantities_.index_uses()) {
        if (use.quantity == counter) {
          space_.Pin(dim, use.inst, "a loop counts through it");
          break;
        }
      }
    }
  }
}

std::vector<int64_t> SizeConstants::Elements(InstId constant) const {
  const LiteralId literal(module_.inst(constant).extra);
  const ShapeId shape = module_.literals.shape(literal);
  if (!module_.shapes.is_array(shape) || !IsIntegerType(module_.shapes.type(shape)) ||
      module_.literals.is_elided(literal)) {
    return {};
  }
  const ElementType type = module_.shapes.type(shape);
  const size_t width = static_cast<size_t>(std::max(InfoOf(type).bits, 8)) / 8;
  const auto bits = module_.literals.bits(literal);
  std::vector<int64_t> elements;
  for (size_t at = 0; at + width <= bits.size(); at += width) {
    elements.push_back(LoadInt(type, bits.data() + at));
  }
  return elements;
}

int64_t SizeConstants::Move(const std::vector<DimId>& nodes, int64_t value,
                            const NewSizes& sizes) const {
  // The smallest dimension it fits in; its size and its last element are the most reliable.
  DimId best;
  for (const DimId node : nodes) {
    const int64_t size = space_.size(node);
    if (value > size || size <= 1) continue;
    if (!best.valid() || size < space_.size(best)) best = node;
  }
  return best.valid() ? sizes.Position(best, value) : value;
}

std::unordered_map<uint32_t, std::vector<int64_t>> SizeConstants::NewValues(
    const NewSizes& sizes, const std::unordered_map<uint32_t, std::vector<int64_t>>& values,
    std::vector<ChangedConstant>& changes) const {
  std::unordered_map<uint32_t, std::vector<int64_t>> result = values;
  std::unordered_map<uint32_t, std::string> done;
  const auto move = [&](InstId constant, InstId user, const auto& where) {
    if (done.contains(constant.value)) return;
    const auto given = values.find(constant.value);
    const std::vector<int64_t> old = given == values.end() ? Elements(constant) : given->second;
    std::vector<int64_t> now = old;
    for (int64_t& value : now) {
      if (value > 1) value = where(value);
    }
    if (now == old) return;
    const std::string name(module_.name_of(module_.inst(constant)));
    const std::string because(module_.name_of(module_.inst(user)));
    done[constant.value] = because;
    const auto first =
        static_cast<size_t>(std::mismatch(old.begin(), old.end(), now.begin()).first - old.begin());
    changes.push_back({name, old[first], now[first], because});
    result[constant.value] = std::move(now);
  };
  for (const Quantities::IndexUse& use : quantities_.constant_starts()) {
    const Inst& inst = module_.inst(use.inst);
    const auto operands = module_.operands_of(inst);
    const size_t first = inst.opcode == Opcode::kDynamicSlice ? 1 : 2;
    if (inst.opcode != Opcode::kDynamicSlice && inst.opcode != Opcode::kDynamicUpdateSlice)
      continue;
    const InstId constant = quantities_.ConstantOf(operands[first + use.dim]);
    const DimId dim = dims_.of(operands[0])[use.dim];
    move(constant, use.inst, [&](int64_t value) { return sizes.Position(dim, value); });
  }
  for (const Quantities::ConstantUse& use : quantities_.constant_uses()) {
    const std::vector<DimId>& nodes = IndexedBy(use.quantity);
    if (use.stride) {
      // The row stride of this very array.
      const auto dims = dims_.of(use.user);
      move(use.constant, use.user, [&](int64_t value) {
        int64_t product = 1, now = 1;
        for (size_t i = dims.size(); i-- > 0;) {
          product *= space_.size(dims[i]);
          now *= sizes.of(dims[i]);
          if (product == value) return now;
        }
        return Move(nodes, value, sizes);
      });
    } else if (!nodes.empty()) {
      move(use.constant, use.user, [&](int64_t value) { return Move(nodes, value, sizes); });
    }
  }
  return result;
}

}  // namespace halo
