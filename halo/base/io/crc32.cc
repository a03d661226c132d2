// Processes eight bytes at a time with eight tables built at compile time, because arrays of
// gigabytes pass through here.
#include "halo/base/io/crc32.h"

#include <array>
#include <cstddef>

namespace halo {
namespace {

constexpr size_t kStep = 8;
using Table = std::array<uint32_t, 256>;

constexpr std::array<Table, kStep> MakeTables() {
  std::array<Table, kStep> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < kStep; ++t) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t crc = tables[t - 1][i];
      tables[t][i] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

constexpr std::array<Table, kStep> kTables = MakeTables();

}  // namespace

uint32_t Crc32(std::span<const uint8_t> bytes, uint32_t before) {
  uint32_t crc = ~before;
  const uint8_t* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= kStep; left -= kStep, at += kStep) {
    const uint32_t low =
        crc ^ (at[0] | uint32_t{at[1]} << 8 | uint32_t{at[2]} << 16 | uint32_t{at[3]} << 24);
    crc = kTables[7][low & 0xFF] ^ kTables[6][(low >> 8) & 0xFF] ^ kTables[5][(low >> 16) & 0xFF] ^
          kTables[4][low >> 24] ^ kTables[3][at[4]] ^ kTables[2][at[5]] ^ kTables[1][at[6]] ^
          kTables[0][at[7]];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 0xFF];
  return ~crc;
}

}  // namespace halo
