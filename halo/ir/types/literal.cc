// Stores constant values: small ones interned, large ones individually.
#include "halo/ir/types/literal.h"

#include <array>

namespace halo {

LiteralId LiteralTable::Add(ShapeId shape, std::span<const uint8_t> bits) {
  if (bits.size() <= kSmallBytes) {
    const std::array<uint32_t, 3> record = {shape.value, kSmall, small_.Intern(bits)};
    return LiteralId(records_.Intern(record));
  }
  const std::array<uint32_t, 3> record = {shape.value, kLarge,
                                          static_cast<uint32_t>(large_.size())};
  large_.emplace_back(bits.begin(), bits.end());
  return LiteralId(records_.Intern(record));
}

LiteralId LiteralTable::AddElided(ShapeId shape) {
  const std::array<uint32_t, 3> record = {shape.value, kElided, 0};
  return LiteralId(records_.Intern(record));
}

std::span<const uint8_t> LiteralTable::bits(LiteralId id) const {
  const std::span<const uint32_t> record = records_[id.value];
  if (record[1] == kSmall) return small_[record[2]];
  if (record[1] == kLarge) return large_[record[2]];
  return {};
}

void LiteralTable::Clear() {
  records_.Clear();
  small_.Clear();
  large_.clear();
}

void LiteralTable::Shrink() {
  records_.Shrink();
  small_.Shrink();
  large_.shrink_to_fit();
}

size_t LiteralTable::bytes() const {
  size_t total = records_.bytes() + small_.bytes() + large_.capacity() * sizeof(large_[0]);
  for (const auto& bits : large_) total += bits.capacity();
  return total;
}

}  // namespace halo
