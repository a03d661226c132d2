// The state is four lanes of four numbers. A round takes 32 bytes: it multiplies halves of lanes
// and shuffles the bytes of pairs, so that every bit of input reaches every lane.
#include "halo/proto/records/highway_hash.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace halo {
namespace {

constexpr size_t kPacket = 32;
using Lanes = std::array<uint64_t, 4>;

// The first digits of pi after the point, as the hash defines them.
constexpr Lanes kStart0 = {0xdbe6d5d5fe4cce2f, 0xa4093822299f31d0, 0x13198a2e03707344,
                           0x243f6a8885a308d3};
constexpr Lanes kStart1 = {0x3bd39e10cb0ef593, 0xc0acf169b5f18a8c, 0xbe5466cf34e90c6c,
                           0x452821e638d01377};

constexpr uint64_t Low(uint64_t value) { return value & 0xffffffff; }
constexpr uint64_t High(uint64_t value) { return value >> 32; }
constexpr uint64_t SwapHalves(uint64_t value) { return std::rotl(value, 32); }

// Byte `from` of `value`, as byte `to`.
constexpr uint64_t Byte(uint64_t value, int from, int to) {
  return (value >> (8 * from) & 0xff) << (8 * to);
}

void AddShuffled(uint64_t even, uint64_t odd, uint64_t& to_even, uint64_t& to_odd) {
  to_even += Byte(even, 3, 0) | Byte(odd, 4, 1) | Byte(even, 2, 2) | Byte(even, 5, 3) |
             Byte(odd, 6, 4) | Byte(even, 1, 5) | Byte(odd, 7, 6) | Byte(even, 0, 7);
  to_odd += Byte(odd, 3, 0) | Byte(even, 4, 1) | Byte(odd, 2, 2) | Byte(odd, 5, 3) |
            Byte(odd, 1, 4) | Byte(even, 6, 5) | Byte(odd, 0, 6) | Byte(even, 7, 7);
}

void AddAllShuffled(const Lanes& from, Lanes& to) {
  AddShuffled(from[0], from[1], to[0], to[1]);
  AddShuffled(from[2], from[3], to[2], to[3]);
}

uint32_t RotatedHalf(uint64_t half, size_t by) {
  return std::rotl(static_cast<uint32_t>(half), static_cast<int>(by));
}

class Hasher {
 public:
  explicit Hasher(const HighwayKey& key) {
    for (size_t i = 0; i < 4; ++i) {
      v0_[i] = kStart0[i] ^ key[i];
      v1_[i] = kStart1[i] ^ SwapHalves(key[i]);
    }
  }

  void Add(const char* packet) {
    Lanes lanes;
    for (size_t i = 0; i < 4; ++i) {
      lanes[i] = 0;
      for (size_t byte = 0; byte < 8; ++byte) {
        lanes[i] |= static_cast<uint64_t>(static_cast<unsigned char>(packet[8 * i + byte]))
                    << (8 * byte);
      }
    }
    Round(lanes);
  }

  // The last bytes, fewer than a packet, and how many they are.
  void AddRest(std::string_view rest) {
    const size_t size = rest.size();
    for (uint64_t& lane : v0_) lane += (static_cast<uint64_t>(size) << 32) + size;
    for (uint64_t& lane : v1_) {
      lane =
          static_cast<uint64_t>(RotatedHalf(High(lane), size)) << 32 | RotatedHalf(Low(lane), size);
    }
    std::array<char, kPacket> packet = {};
    const size_t words = size & ~size_t{3};
    std::copy_n(rest.data(), words, packet.data());
    const size_t odd = size & 3;
    if ((size & 16) != 0) {
      std::copy_n(rest.data() + size - 4, 4, packet.data() + 28);
    } else if (odd != 0) {
      packet[16] = rest[words];
      packet[17] = rest[words + odd / 2];
      packet[18] = rest[size - 1];
    }
    Add(packet.data());
  }

  uint64_t Finish() {
    for (int i = 0; i < 4; ++i) {
      Round({SwapHalves(v0_[2]), SwapHalves(v0_[3]), SwapHalves(v0_[0]), SwapHalves(v0_[1])});
    }
    return v0_[0] + v1_[0] + mul0_[0] + mul1_[0];
  }

 private:
  void Round(const Lanes& lanes) {
    for (size_t i = 0; i < 4; ++i) {
      v1_[i] += mul0_[i] + lanes[i];
      mul0_[i] ^= Low(v1_[i]) * High(v0_[i]);
      v0_[i] += mul1_[i];
      mul1_[i] ^= Low(v0_[i]) * High(v1_[i]);
    }
    AddAllShuffled(v1_, v0_);
    AddAllShuffled(v0_, v1_);
  }

  Lanes v0_, v1_, mul0_ = kStart0, mul1_ = kStart1;
};

}  // namespace

uint64_t HighwayHash(const HighwayKey& key, std::string_view bytes) {
  Hasher hasher(key);
  while (bytes.size() >= kPacket) {
    hasher.Add(bytes.data());
    bytes.remove_prefix(kPacket);
  }
  if (!bytes.empty()) hasher.AddRest(bytes);
  return hasher.Finish();
}

}  // namespace halo
