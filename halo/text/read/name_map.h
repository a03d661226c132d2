// Maps names to the instructions of one computation while it is being read. Names are looked up by
// their text, not interned: a dump has about as many names as instructions, and a small table that
// fits in the cache beats one with all the module's names.
#ifndef HALO_TEXT_READ_NAME_MAP_H_
#define HALO_TEXT_READ_NAME_MAP_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "halo/base/containers/flat_vector.h"
#include "halo/base/hash.h"
#include "halo/ir/module.h"

namespace halo {

class NameMap {
 public:
  explicit NameMap(const Module& module) : module_(&module) { Clear(); }

  // Removes all names. The table shrinks to its initial size, so that clearing stays cheap for many
  // small computations.
  void Clear() {
    count_ = 0;
    base_ = 0;
    Start(kSmallest);
  }

  static uint32_t Hash(std::string_view name) {
    return static_cast<uint32_t>(TableHash(name.data(), name.size()) >> 32);
  }

  // The instruction's index, or InstId::kNoneValue.
  [[nodiscard]] uint32_t Find(std::string_view name, uint32_t hash) const {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot slot = slots_[at];
      if (slot.inst == InstId::kNoneValue) return slot.inst;
      if (slot.hash != hash) continue;
      const std::string_view known = module_->name_of(module_->insts[slot.inst + base_]);
      if (known.size() == name.size() && SameBytes(known.data(), name.data(), name.size())) {
        return slot.inst + base_;
      }
    }
  }
  [[nodiscard]] uint32_t Find(std::string_view name) const { return Find(name, Hash(name)); }

  void Add(uint32_t inst, uint32_t hash) {
    if (++count_ * 4 > (mask_ + 1) * 3) Grow();
    Place({inst, hash});
  }
  void Add(uint32_t inst) { Add(inst, Hash(module_->name_of(module_->insts[inst]))); }

  // The instructions moved to another module, offset by `base`. No names are added afterwards.
  void MoveTo(const Module& module, uint32_t base) {
    module_ = &module;
    base_ = base;
  }

  [[nodiscard]] size_t size() const { return count_; }

  // Calls `visit` with the hash of each name; returns false as soon as a call does.
  template <class Visit>
  bool ForEachHash(const Visit& visit) const {
    for (size_t at = 0; at <= mask_; ++at) {
      const Slot slot = slots_[at];
      if (slot.inst != InstId::kNoneValue && !visit(slot.hash, slot.inst + base_)) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kSmallest = 64;
  struct Slot {
    uint32_t inst = InstId::kNoneValue;
    uint32_t hash = 0;
  };

  void Start(size_t capacity) {
    if (slots_.size() < capacity) slots_.resize(capacity);
    std::fill(slots_.begin(), slots_.begin() + capacity, Slot{});
    mask_ = capacity - 1;
  }
  void Place(Slot slot) {
    size_t at = slot.hash & mask_;
    while (slots_[at].inst != InstId::kNoneValue) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
  void Grow() {
    FlatVector<Slot> old;
    old.assign(slots_.begin(), slots_.begin() + mask_ + 1);
    Start((mask_ + 1) * 4);
    for (const Slot slot : old) {
      if (slot.inst != InstId::kNoneValue) Place(slot);
    }
  }

  const Module* module_;
  uint32_t base_ = 0;
  FlatVector<Slot> slots_;
  size_t mask_ = 0;
  size_t count_ = 0;
};

}  // namespace halo

#endif  // HALO_TEXT_READ_NAME_MAP_H_
