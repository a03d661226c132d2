// Human-readable sizes in the style of XLA (512B, 212.2KiB, 1.02GiB), and counts.
#ifndef HALO_BASE_STRINGS_HUMAN_SIZE_H_
#define HALO_BASE_STRINGS_HUMAN_SIZE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace halo {

std::string HumanBytes(int64_t bytes);

// Formats 1234567 as 1,234,567.
std::string GroupedDigits(int64_t value);

// "1 value", "1,234 values".
std::string Counted(int64_t count, std::string_view what);

}  // namespace halo

#endif  // HALO_BASE_STRINGS_HUMAN_SIZE_H_
