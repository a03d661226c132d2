// Interned sequences: equal sequences get one 32-bit number and are stored once, back to back.
// Strings, integer lists, attribute lists and tuple elements all live in one of these. Numbers are
// given in order of first appearance, so they do not depend on hashing. Elements are compared
// bytewise; T must have no padding.
#ifndef HALO_BASE_SPAN_POOL_H_
#define HALO_BASE_SPAN_POOL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "halo/base/hash.h"

namespace halo {

template <class T>
class SpanPool {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::has_unique_object_representations_v<T>);

 public:
  SpanPool() { begins_.push_back(0); }

  static uint32_t Hash(std::span<const T> items) {
    return static_cast<uint32_t>(HashBytes(items.data(), items.size_bytes()) >> 32);
  }

  // True once the pool can take no more; later additions return the last number handed out.
  [[nodiscard]] bool full() const { return full_; }

  uint32_t Intern(std::span<const T> items) { return Intern(items, Hash(items)); }

  uint32_t Intern(std::span<const T> items, uint32_t hash) {
    if (slots_.empty()) Rebuild();
    size_t slot = hash & mask_;
    while (slots_[slot] != kEmpty) {
      const uint32_t id = slots_[slot];
      if (hashes_[id] == hash && Equal(id, items)) return id;
      slot = (slot + 1) & mask_;
    }
    if (items_.size() + items.size() > kMaxItems || begins_.size() >= kMaxSpans) {
      full_ = true;
      return static_cast<uint32_t>(begins_.size() - 2);
    }
    const auto id = static_cast<uint32_t>(begins_.size() - 1);
    items_.insert(items_.end(), items.begin(), items.end());
    begins_.push_back(static_cast<uint32_t>(items_.size()));
    hashes_.push_back(hash);
    slots_[slot] = id;
    if (hashes_.size() * 4 > slots_.size() * 3) Rebuild();
    return id;
  }

  // The number of an equal sequence already present, or kEmpty.
  [[nodiscard]] uint32_t Find(std::span<const T> items) const {
    if (slots_.empty()) {
      for (uint32_t id = 0; id < size(); ++id) {
        if (Equal(id, items)) return id;
      }
      return kEmpty;
    }
    const uint32_t hash = Hash(items);
    for (size_t slot = hash & mask_; slots_[slot] != kEmpty; slot = (slot + 1) & mask_) {
      const uint32_t id = slots_[slot];
      if (hashes_[id] == hash && Equal(id, items)) return id;
    }
    return kEmpty;
  }

  [[nodiscard]] std::span<const T> operator[](uint32_t id) const {
    return {items_.data() + begins_[id], items_.data() + begins_[id + 1]};
  }

  [[nodiscard]] size_t size() const { return begins_.size() - 1; }

  // The hash kept for `id` while the pool is growing; recomputed after Shrink.
  [[nodiscard]] uint32_t hash_of(uint32_t id) const {
    return id < hashes_.size() ? hashes_[id] : Hash((*this)[id]);
  }

  // Gives back everything that only additions need. Adding later rebuilds it.
  void Shrink() {
    std::vector<uint32_t>().swap(slots_);
    std::vector<uint32_t>().swap(hashes_);
    items_.shrink_to_fit();
    begins_.shrink_to_fit();
  }

  [[nodiscard]] size_t bytes() const {
    return items_.capacity() * sizeof(T) +
           (begins_.capacity() + hashes_.capacity() + slots_.capacity()) * sizeof(uint32_t);
  }

  static constexpr uint32_t kEmpty = 0xFFFFFFFFu;

 private:
  static constexpr size_t kMaxItems = 0xFFFFFFFFu;
  static constexpr size_t kMaxSpans = 0xFFFFFFF0u;

  [[nodiscard]] bool Equal(uint32_t id, std::span<const T> items) const {
    const size_t count = begins_[id + 1] - begins_[id];
    return count == items.size() &&
           (count == 0 ||
            std::memcmp(items_.data() + begins_[id], items.data(), count * sizeof(T)) == 0);
  }

  void Rebuild() {
    const size_t count = size();
    if (hashes_.size() != count) {
      hashes_.resize(count);
      for (uint32_t id = 0; id < count; ++id) hashes_[id] = Hash((*this)[id]);
    }
    size_t capacity = 64;
    while (capacity < count * 2 + 2) capacity *= 2;
    slots_.assign(capacity, kEmpty);
    mask_ = capacity - 1;
    for (uint32_t id = 0; id < count; ++id) {
      size_t slot = hashes_[id] & mask_;
      while (slots_[slot] != kEmpty) slot = (slot + 1) & mask_;
      slots_[slot] = id;
    }
  }

  std::vector<T> items_;
  std::vector<uint32_t> begins_;
  std::vector<uint32_t> hashes_;
  std::vector<uint32_t> slots_;
  size_t mask_ = 0;
  bool full_ = false;
};

}  // namespace halo

#endif  // HALO_BASE_SPAN_POOL_H_
