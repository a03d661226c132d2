// Kibibytes get one decimal and larger units two, as in XLA's own reports.
#include "halo/base/strings/human_size.h"

#include <array>
#include <charconv>
#include <string_view>

namespace halo {

std::string HumanBytes(int64_t bytes) {
  const std::string sign = bytes < 0 ? "-" : "";
  uint64_t amount = bytes < 0 ? 0 - static_cast<uint64_t>(bytes) : static_cast<uint64_t>(bytes);
  if (amount < 1024) return sign + std::to_string(amount) + "B";
  constexpr std::string_view kUnits = "KMGTPE";
  size_t unit = 0;
  // Each division truncates, as in XLA. The last digit shows it.
  for (; amount >= 1024 * 1024; amount /= 1024) ++unit;
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                 static_cast<double>(amount) / 1024.0, std::chars_format::fixed,
                                 unit == 0 ? 1 : 2);
  return sign + std::string(digits.data(), end.ptr) + kUnits[unit] + "iB";
}

std::string GroupedDigits(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string Counted(int64_t count, std::string_view what) {
  return GroupedDigits(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace halo
