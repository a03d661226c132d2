// Whether a short list of dimension numbers holds one of them. Linear: dimension lists have a
// handful of entries.
#ifndef HALO_BASE_CONTAINERS_CONTAINS_H_
#define HALO_BASE_CONTAINERS_CONTAINS_H_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>

namespace halo {

inline bool Contains(std::span<const int64_t> list, std::integral auto value) {
  return std::ranges::find(list, static_cast<int64_t>(value)) != list.end();
}

}  // namespace halo

#endif  // HALO_BASE_CONTAINERS_CONTAINS_H_
