// Typed 32-bit ids. Every table is indexed by its own id type, so that a shape can never be looked
// up with an instruction's number. Each table defines what its ids mean.
#ifndef HALO_BASE_IDS_H_
#define HALO_BASE_IDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

namespace halo {

template <class Tag>
struct Id {
  static constexpr uint32_t kNoneValue = 0xFFFFFFFFu;

  uint32_t value = kNoneValue;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t v) : value(v) {}
  constexpr explicit Id(size_t v) : value(static_cast<uint32_t>(v)) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNoneValue; }
  [[nodiscard]] constexpr size_t index() const { return value; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace halo

template <class Tag>
struct std::hash<halo::Id<Tag>> {
  size_t operator()(halo::Id<Tag> id) const noexcept { return id.value * 0x9E3779B97F4A7C15ull; }
};

#endif  // HALO_BASE_IDS_H_
