// The two counter-based generators of rng-bit-generator, Threefry-2x32 and Philox-4x32 (Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", 2011), one block at a time.
#ifndef HALO_EVAL_LANES_RANDOM_BITS_H_
#define HALO_EVAL_LANES_RANDOM_BITS_H_

#include <array>
#include <cstdint>

namespace halo {

// Twenty rounds.
std::array<uint32_t, 2> Threefry(std::array<uint32_t, 2> counter, std::array<uint32_t, 2> key);
// Ten rounds.
std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

}  // namespace halo

#endif  // HALO_EVAL_LANES_RANDOM_BITS_H_
