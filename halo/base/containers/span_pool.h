// Interned sequences: equal sequences get one 32-bit number and are stored once, back to back.
// Strings, integer lists, attribute lists and tuple elements are all stored in such pools. Numbers
// are assigned in order of first appearance, so they do not depend on hashing. Elements are
// compared bytewise; T must have no padding.
#ifndef HALO_BASE_CONTAINERS_SPAN_POOL_H_
#define HALO_BASE_CONTAINERS_SPAN_POOL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "halo/base/containers/flat_vector.h"
#include "halo/base/hash.h"

namespace halo {

template <class T>
class SpanPool {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::has_unique_object_representations_v<T>);

 public:
  SpanPool() { begins_.push_back(0); }

  static uint32_t Hash(std::span<const T> items) {
    return static_cast<uint32_t>(TableHash(items.data(), items.size_bytes()) >> 32);
  }

  // True once the pool can take no more. Later additions return the last number assigned.
  [[nodiscard]] bool full() const { return full_; }

  uint32_t Intern(std::span<const T> items) { return Intern(items, Hash(items)); }

  uint32_t Intern(std::span<const T> items, uint32_t hash) {
    if (slots_.empty()) Rebuild();
    size_t at = hash & mask_;
    while (slots_[at].id != kEmpty) {
      if (slots_[at].hash == hash && Equal(slots_[at].id, items)) return slots_[at].id;
      at = (at + 1) & mask_;
    }
    return Add(items, hash, at);
  }

  // Adds a sequence under a new number, even if the pool already has an equal one.
  uint32_t Append(std::span<const T> items) {
    if (items_.size() + items.size() > kMaxItems || begins_.size() >= kMaxSpans) {
      full_ = true;
      return static_cast<uint32_t>(begins_.size() - 2);
    }
    items_.append(items.data(), items.size());
    begins_.push_back(static_cast<uint32_t>(items_.size()));
    return static_cast<uint32_t>(begins_.size() - 2);
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
    for (size_t at = hash & mask_; slots_[at].id != kEmpty; at = (at + 1) & mask_) {
      if (slots_[at].hash == hash && Equal(slots_[at].id, items)) return slots_[at].id;
    }
    return kEmpty;
  }

  [[nodiscard]] std::span<const T> operator[](uint32_t id) const {
    return {items_.data() + begins_[id], items_.data() + begins_[id + 1]};
  }

  // Zero also for a pool that was moved from.
  [[nodiscard]] size_t size() const { return begins_.empty() ? 0 : begins_.size() - 1; }

  [[nodiscard]] size_t item_count() const { return items_.size(); }

  // Reserves memory for `spans` more sequences, `interned` of them interned, and `items` more
  // items.
  void Reserve(size_t spans, size_t items, size_t interned) {
    begins_.reserve(begins_.size() + spans);
    items_.reserve(items_.size() + items);
    if ((interned_ + interned) * 4 > slots_.size() * 3) Rebuild(interned_ + interned);
  }

  // The hash of each sequence, by number. Valid only while the pool is growing.
  void HashesById(FlatVector<uint32_t>& hashes) const {
    hashes.resize(size());  // hashes of appended sequences stay undefined
    for (const Slot slot : slots_) {
      if (slot.id != kEmpty) hashes[slot.id] = slot.hash;
    }
  }

  // Empties the pool but keeps its memory.
  void Clear() {
    items_.clear();
    begins_.resize(1);
    slots_.assign(slots_.size(), Slot{});
    interned_ = 0;
    full_ = false;
  }

  // Frees everything that only additions need. A later addition rebuilds it.
  void Shrink() {
    FlatVector<Slot>().swap(slots_);
    items_.shrink_to_fit();
    begins_.shrink_to_fit();
  }

  [[nodiscard]] size_t bytes() const {
    return items_.capacity() * sizeof(T) + begins_.capacity() * sizeof(uint32_t) +
           slots_.capacity() * sizeof(Slot);
  }

  static constexpr uint32_t kEmpty = 0xFFFFFFFFu;

 private:
  static constexpr size_t kMaxItems = 0xFFFFFFFFu;
  static constexpr size_t kMaxSpans = 0xFFFFFFF0u;

  struct Slot {
    uint32_t id = kEmpty;
    uint32_t hash = 0;
  };

  [[nodiscard]] bool Equal(uint32_t id, std::span<const T> items) const {
    const size_t count = begins_[id + 1] - begins_[id];
    return count == items.size() &&
           SameBytes(items_.data() + begins_[id], items.data(), count * sizeof(T));
  }

  uint32_t Add(std::span<const T> items, uint32_t hash, size_t at) {
    if (items_.size() + items.size() > kMaxItems || begins_.size() >= kMaxSpans) {
      full_ = true;
      return static_cast<uint32_t>(begins_.size() - 2);
    }
    const auto id = static_cast<uint32_t>(begins_.size() - 1);
    if (items.data() >= items_.begin() && items.data() < items_.end()) {
      // `items` is part of the pool and would move during the copy.
      const std::vector<T> copy(items.begin(), items.end());
      items_.append(copy.data(), copy.size());
    } else {
      items_.append(items.data(), items.size());
    }
    begins_.push_back(static_cast<uint32_t>(items_.size()));
    slots_[at] = {id, hash};
    if (++interned_ * 4 > slots_.size() * 3) Rebuild(interned_ + 1);
    return id;
  }

  void Rebuild(size_t spans = 0) {
    size_t capacity = 64;
    const size_t known = slots_.empty() ? size() : interned_;
    while (capacity < (spans > known ? spans : known) * 2 + 2) capacity *= 2;
    FlatVector<Slot> old;
    old.swap(slots_);
    slots_.resize(capacity);
    mask_ = capacity - 1;
    const auto position = [this](Slot slot) {
      size_t at = slot.hash & mask_;
      while (slots_[at].id != kEmpty) at = (at + 1) & mask_;
      slots_[at] = slot;
    };
    if (old.empty()) {
      interned_ = size();
      for (uint32_t id = 0; id < size(); ++id) position({id, Hash((*this)[id])});
    } else {
      for (const Slot slot : old) {
        if (slot.id != kEmpty) position(slot);
      }
    }
  }

  FlatVector<T> items_;
  FlatVector<uint32_t> begins_;
  FlatVector<Slot> slots_;
  size_t mask_ = 0;
  size_t interned_ = 0;  // number of sequences in slots_
  bool full_ = false;
};

}  // namespace halo

#endif  // HALO_BASE_CONTAINERS_SPAN_POOL_H_
