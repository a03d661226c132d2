// A fixed set of names to their numbers: the lookup behind opcodes and attribute keys.
#ifndef HALO_IR_NAME_TABLE_H_
#define HALO_IR_NAME_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halo/base/hash.h"

namespace halo {

class NameTable {
 public:
  template <class TextAt>
  NameTable(TextAt text_at, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const std::string_view text = text_at(i);
      size_t slot = SlotOf(text);
      while (!texts_[slot].empty()) slot = (slot + 1) % kSlots;
      texts_[slot] = text;
      numbers_[slot] = static_cast<int16_t>(i);
    }
  }

  // The number, or -1.
  [[nodiscard]] int Find(std::string_view text) const {
    for (size_t slot = SlotOf(text); !texts_[slot].empty(); slot = (slot + 1) % kSlots) {
      if (texts_[slot] == text) return numbers_[slot];
    }
    return -1;
  }

 private:
  static constexpr size_t kSlots = 1024;
  static size_t SlotOf(std::string_view text) {
    return HashBytes(text.data(), text.size()) % kSlots;
  }

  std::array<std::string_view, kSlots> texts_{};
  std::array<int16_t, kSlots> numbers_{};
};

}  // namespace halo

#endif  // HALO_IR_NAME_TABLE_H_
