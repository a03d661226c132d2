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

LiteralId LiteralTable::AddVerbatim(ShapeId shape, std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const std::array<uint32_t, 3> record = {shape.value, kVerbatim,
                                          small_.Intern({bytes, text.size()})};
  return LiteralId(records_.Intern(record));
}

LiteralId LiteralTable::Import(const LiteralTable& from, LiteralId id, ShapeId shape) {
  if (from.is_verbatim(id)) return AddVerbatim(shape, from.verbatim_text(id));
  return from.is_elided(id) ? AddElided(shape) : Add(shape, from.bits(id));
}

std::string_view LiteralTable::verbatim_text(LiteralId id) const {
  if (!is_verbatim(id)) return {};
  const std::span<const uint8_t> text = small_[records_[id.value][2]];
  return {reinterpret_cast<const char*>(text.data()), text.size()};
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
