// Arrays that go into and come out of a run.
#ifndef HALOSCOPE_ARRAY_H_
#define HALOSCOPE_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

// Elements are stored row-major without gaps; types narrower than a byte take one byte each.
// Copies share the elements.
struct Array {
  std::string name;           // "in_0", "out_2"; with several devices "in_0_d3"
  std::string type = "f32";   // as HLO writes it: pred, s32, bf16, f8e4m3fn, c64, ...
  std::vector<int64_t> dims;  // empty: a scalar
  std::shared_ptr<const void> data;
  size_t bytes = 0;

  // The elements as T; the caller must choose a T of the right size.
  template <class T>
  [[nodiscard]] std::span<const T> As() const {
    return {static_cast<const T*>(data.get()), bytes / sizeof(T)};
  }
};

// An array that owns a copy of `elements`.
template <class T>
Array MakeArray(std::string name, std::string type, std::vector<int64_t> dims,
                std::vector<T> elements) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
  return {std::move(name), std::move(type), std::move(dims),
          std::shared_ptr<const void>(owner, owner->data()), owner->size() * sizeof(T)};
}

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_ARRAY_H_
