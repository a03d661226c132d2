// Arrays that the evaluator computes with: an element type, the dimensions they have at run time,
// and their elements row-major without gaps, whatever the layout says. Elements narrower than a
// byte take one each. Copies share their elements until one of them writes.
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

// How many bytes all arrays made with it hold now, and held at most.
struct MemoryMeter {
  std::atomic<int64_t> live = 0;
  std::atomic<int64_t> peak = 0;
};

class Array {
 public:
  Array() = default;
  // All zero bits. The caller keeps to its memory limit; see OpContext::Make.
  Array(ElementType type, std::span<const int64_t> dims,
        const std::shared_ptr<MemoryMeter>& meter = nullptr);

  // Elements that stand in someone else's memory, which `owner` keeps alive. Never written: who
  // wants to gets a copy.
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
  // For writing: makes the elements its own first if they are shared.
  uint8_t* MutableBytes();
  // True if nobody else holds these elements, so that an op may write its result over them.
  [[nodiscard]] bool is_unique() const;

  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes()), byte_count() / sizeof(T)};
  }
  template <class T>
  std::span<T> Mutable() {
    return {reinterpret_cast<T*>(MutableBytes()), byte_count() / sizeof(T)};
  }

  // The same elements in other dimensions of the same count.
  [[nodiscard]] Array Reshaped(std::span<const int64_t> dims) const;
  // The same bytes as another type whose elements are stored as wide.
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
