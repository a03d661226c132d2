// Hashes and other 64-bit words as text for people and files.
#ifndef HALO_BASE_STRINGS_HEX_H_
#define HALO_BASE_STRINGS_HEX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace halo {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// All 16 digits, the highest first.
inline std::string HexText(uint64_t word) {
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; word >>= 4) text[i] = kHexDigits[word & 15];
  return text;
}

}  // namespace halo

#endif  // HALO_BASE_STRINGS_HEX_H_
