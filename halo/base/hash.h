// One fast byte hash: with fixed keys for digests, which processes of one version compare with each
// other, and with keys of this process for tables, so that a file cannot be made to fill one
// bucket. Digests are not stable across versions and must not be stored.
#ifndef HALO_BASE_HASH_H_
#define HALO_BASE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace halo {

inline uint64_t HashMix(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
  const auto wide = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(wide) ^ static_cast<uint64_t>(wide >> 64);
#else
  a ^= b;
  a *= 0xD6E8FEB86659FD93ull;
  return a ^ (a >> 32);
#endif
}

struct HashKeys {
  uint64_t k0, k1;
};
inline constexpr HashKeys kDigestKeys = {0x9E3779B97F4A7C15ull, 0xBF58476D1CE4E5B9ull};
// The same in all libraries of a process; differ from process to process where the system allows.
extern const HashKeys kTableKeys;

inline uint64_t HashBytes(const void* data, size_t size, HashKeys keys = kDigestKeys) {
  const auto [k0, k1] = keys;
  const auto* p = static_cast<const unsigned char*>(data);
  uint64_t hash = size * k0 + k1;
  const auto load64 = [](const unsigned char* at) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    return word;
  };
  const auto load32 = [](const unsigned char* at) {
    uint32_t word;
    std::memcpy(&word, at, 4);
    return static_cast<uint64_t>(word);
  };
  while (size > 16) {
    hash = HashMix(hash ^ load64(p), k0 ^ load64(p + 8));
    p += 16;
    size -= 16;
  }
  if (size >= 8) {
    hash = HashMix(hash ^ load64(p), k1 ^ load64(p + size - 8));
  } else if (size >= 4) {
    hash = HashMix(hash ^ (load32(p) | load32(p + size - 4) << 32), k1);
  } else if (size > 0) {
    const uint64_t tail =
        p[0] | static_cast<uint64_t>(p[size >> 1]) << 8 | static_cast<uint64_t>(p[size - 1]) << 16;
    hash = HashMix(hash ^ tail, k1);
  }
  return HashMix(hash, k0);
}

inline uint64_t TableHash(const void* data, size_t size) {
  return HashBytes(data, size, kTableKeys);
}

// memcmp(a, b, size) == 0, without a call for the short pieces that dominate the tables.
inline bool SameBytes(const void* a, const void* b, size_t size) {
  const auto* p = static_cast<const unsigned char*>(a);
  const auto* q = static_cast<const unsigned char*>(b);
  const auto differ64 = [](const unsigned char* x, const unsigned char* y) {
    uint64_t u;
    uint64_t v;
    std::memcpy(&u, x, 8);
    std::memcpy(&v, y, 8);
    return u ^ v;
  };
  if (size > 32) return std::memcmp(a, b, size) == 0;
  if (size >= 8) {
    uint64_t difference = differ64(p + size - 8, q + size - 8);
    for (size_t i = 0; i + 8 < size; i += 8) difference |= differ64(p + i, q + i);
    return difference == 0;
  }
  for (size_t i = 0; i < size; ++i) {
    if (p[i] != q[i]) return false;
  }
  return true;
}

}  // namespace halo

#endif  // HALO_BASE_HASH_H_
