// A vector of trivially copyable items for the large tables. It grows and shrinks with realloc, so
// that the system can remap pages instead of copying bytes. Otherwise a small subset of
// std::vector.
#ifndef HALO_BASE_CONTAINERS_FLAT_VECTOR_H_
#define HALO_BASE_CONTAINERS_FLAT_VECTOR_H_

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "halo/base/check.h"

namespace halo {

template <class T>
class FlatVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  FlatVector() = default;
  explicit FlatVector(size_t count) { resize(count); }
  FlatVector(const FlatVector& other) { assign(other.begin(), other.end()); }
  FlatVector(FlatVector&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  FlatVector& operator=(const FlatVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  FlatVector& operator=(FlatVector&& other) noexcept {
    swap(other);
    return *this;
  }
  ~FlatVector() { std::free(data_); }

  void swap(FlatVector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void clear() { size_ = 0; }
  void pop_back() { --size_; }
  void push_back(const T& item) {
    if (size_ == capacity_) {
      const T copy = item;  // `item` may be in this vector
      Grow(size_ + 1);
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = item;
  }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    push_back(T(std::forward<Args>(args)...));
    return back();
  }
  // Appends a copy of items that are not in this vector.
  void append(const T* items, size_t count) {
    if (size_ + count > capacity_) Grow(size_ + count);
    if (count != 0) std::memcpy(static_cast<void*>(data_ + size_), items, count * sizeof(T));
    size_ += count;
  }
  // Allocates `count` more items, which the caller fills in.
  T* extend(size_t count) {
    if (size_ + count > capacity_) Grow(size_ + count);
    size_ += count;
    return data_ + size_ - count;
  }
  void assign(const T* first, const T* last) {
    clear();
    append(first, static_cast<size_t>(last - first));
  }
  void assign(size_t count, const T& item) {
    clear();
    resize(count, item);
  }
  void resize(size_t count) { resize(count, T()); }
  void resize(size_t count, const T& item) {
    if (count > capacity_) Grow(count);
    if (count > size_) std::uninitialized_fill(data_ + size_, data_ + count, item);
    size_ = count;
  }
  void reserve(size_t count) {
    if (count > capacity_) Reallocate(count);
  }
  void shrink_to_fit() {
    if (size_ == 0) {
      std::free(data_);
      data_ = nullptr;
      capacity_ = 0;
    } else if (capacity_ != size_) {
      Reallocate(size_);
    }
  }

 private:
  void Grow(size_t needed) {
    size_t capacity = capacity_ + capacity_ / 2 + 16;
    if (capacity < needed) capacity = needed;
    Reallocate(capacity);
  }
  void Reallocate(size_t capacity) {
    void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    // As `new` does; a handler that ends the process says why.
    if (moved == nullptr && std::get_new_handler() != nullptr) std::get_new_handler()();
    HALO_CHECK(moved != nullptr);
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace halo

#endif  // HALO_BASE_CONTAINERS_FLAT_VECTOR_H_
