// Maps a fixed set of names to numbers: the lookup behind opcodes and attribute keys, built at
// compile time. The hash uses the length and three characters, which is enough to distinguish names
// of this kind.
#ifndef HALO_IR_ATTRIBUTES_NAME_TABLE_H_
#define HALO_IR_ATTRIBUTES_NAME_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace halo {

class NameTable {
 public:
  template <class TextAt>
  constexpr NameTable(TextAt text_at, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const std::string_view text = text_at(i);
      size_t slot = SlotOf(text);
      while (!texts_[slot].empty()) slot = (slot + 1) % kSlots;
      texts_[slot] = text;
      numbers_[slot] = static_cast<int16_t>(i);
    }
  }

  // The number, or -1 if the name is unknown.
  [[nodiscard]] constexpr int Find(std::string_view text) const {
    if (text.empty()) return -1;
    for (size_t slot = SlotOf(text); !texts_[slot].empty(); slot = (slot + 1) % kSlots) {
      if (texts_[slot] == text) return numbers_[slot];
    }
    return -1;
  }

 private:
  static constexpr size_t kSlots = 1024;
  static constexpr size_t SlotOf(std::string_view text) {
    const auto byte = [&](size_t i) {
      return static_cast<size_t>(static_cast<unsigned char>(text[i]));
    };
    return (text.size() * 131 + byte(0) * 7 + byte(text.size() / 2) * 37 +
            byte(text.size() - 1) * 229) %
           kSlots;
  }

  std::array<std::string_view, kSlots> texts_{};
  std::array<int16_t, kSlots> numbers_{};
};

}  // namespace halo

#endif  // HALO_IR_ATTRIBUTES_NAME_TABLE_H_
