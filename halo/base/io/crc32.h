// The CRC-32 checksum used in zip files.
#ifndef HALO_BASE_IO_CRC32_H_
#define HALO_BASE_IO_CRC32_H_

#include <cstdint>
#include <span>

namespace halo {

// `before` is the checksum of the preceding bytes, or 0 at the start.
uint32_t Crc32(std::span<const uint8_t> bytes, uint32_t before = 0);

}  // namespace halo

#endif  // HALO_BASE_IO_CRC32_H_
