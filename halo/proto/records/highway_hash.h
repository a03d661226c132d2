// HighwayHash, the keyed 64-bit hash by which Riegeli files are checked. Computed without vector
// instructions, at about the speed of reading from a disk.
#ifndef HALO_PROTO_RECORDS_HIGHWAY_HASH_H_
#define HALO_PROTO_RECORDS_HIGHWAY_HASH_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace halo {

using HighwayKey = std::array<uint64_t, 4>;

uint64_t HighwayHash(const HighwayKey& key, std::string_view bytes);

}  // namespace halo

#endif  // HALO_PROTO_RECORDS_HIGHWAY_HASH_H_
