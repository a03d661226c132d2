// The arrays that the evaluator computes with: an element type, the dimensions at run time, and the
// elements in row-major order without gaps, regardless of the layout. Elements narrower than a byte
// take one byte each. Copies share their elements until one of them writes.
#ifndef HALO_EVAL_LANES_ARRAY_H_
#define HALO_EVAL_LANES_ARRAY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halo/ir/types/dims.h"
#include "halo/ir/types/element_type.h"

namespace halo {

// The number of bytes that all arrays created with this meter hold now, and the peak.
struct MemoryMeter {
  std::atomic<int64_t> live = 0;
  std::atomic<int64_t> peak = 0;
};

class Array {
 public:
  Array() = default;
  // All bits are zero. The caller enforces its memory limit; see OpContext::Make.
  Array(ElementType type, std::span<const int64_t> dims,
        const std::shared_ptr<MemoryMeter>& meter = nullptr);

  // An array over elements in foreign memory, which `owner` keeps alive. The elements are never
  // written: writing makes a copy first.
  static Array Borrowed(ElementType type, std::span<const int64_t> dims, const uint8_t* elements,
                        std::shared_ptr<const void> owner);

  [[nodiscard]] ElementType type() const { return type_; }
  [[nodiscard]] std::span<const int64_t> dims() const { return dims_; }
  [[nodiscard]] int64_t dim(size_t i) const { return dims_[i]; }
  [[nodiscard]] size_t rank() const { return dims_.size(); }
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] size_t element_bytes() const { return StoredBytes(type_); }
  [[nodiscard]] size_t byte_count() const { return static_cast<size_t>(count_) * element_bytes(); }

  [[nodiscard]] const uint8_t* bytes() const;
  // For writing: copies the elements first if they are shared.
  uint8_t* MutableBytes();
  // Returns true if no other array holds these elements, so an op may overwrite them with its
  // result.
  [[nodiscard]] bool is_unique() const;

  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes()), byte_count() / sizeof(T)};
  }
  template <class T>
  std::span<T> Mutable() {
    return {reinterpret_cast<T*>(MutableBytes()), byte_count() / sizeof(T)};
  }

  // Returns the same elements with other dimensions of the same count.
  [[nodiscard]] Array Reshaped(std::span<const int64_t> dims) const;
  // Returns the same bytes as another type with the same storage width.
  [[nodiscard]] Array Retyped(ElementType type) const;

 private:
  struct Storage;
  ElementType type_ = ElementType::kPred;
  Dims dims_;
  int64_t count_ = 0;
  std::shared_ptr<Storage> storage_;
};

}  // namespace halo

#endif  // HALO_EVAL_LANES_ARRAY_H_
