// Sizes in bytes as people write them.
#ifndef HALO_BASE_STRINGS_BYTE_SIZE_H_
#define HALO_BASE_STRINGS_BYTE_SIZE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace halo {

// "80GiB", "80GB", "1.5G", "4096" as bytes; G alone means GiB. nullopt if it is not a size.
std::optional<int64_t> BytesFromText(std::string_view text);

}  // namespace halo

#endif  // HALO_BASE_STRINGS_BYTE_SIZE_H_
