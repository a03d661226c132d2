// The checksum that zip files carry.
#ifndef HALO_BASE_IO_CRC32_H_
#define HALO_BASE_IO_CRC32_H_

#include <cstdint>
#include <span>

namespace halo {

// Of bytes that follow those which gave `before`; 0 to begin with.
uint32_t Crc32(std::span<const uint8_t> bytes, uint32_t before = 0);

}  // namespace halo

#endif  // HALO_BASE_IO_CRC32_H_
