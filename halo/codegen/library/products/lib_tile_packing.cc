// Shuffles with 64-byte vectors.
#include "halo/codegen/library/products/lib_tile_packing.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>

#define HALO_AVX512_VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi")))

namespace halo::tiles {

void PackTiles(const PackedFrom& from, int64_t count, int64_t columns, uint8_t* to) {
  const int64_t group = 4 / from.element;
  std::memset(to, 0, 2 * kRows * kLine);
  for (int64_t j = 0; j < columns; ++j) {
    uint8_t* tile = to + j / kRows * kRows * kLine + j % kRows * 4;
    for (int64_t p = 0; p < count; ++p) {
      std::memcpy(tile + p / group * kLine + p % group * from.element,
                  from.at + p * from.row + j * from.column, static_cast<size_t>(from.element));
    }
  }
}

HALO_AVX512_VBMI void PackRowsOfBytes(const uint8_t* from, int64_t row, uint8_t* to) {
  for (int64_t p = 0; p < kRows; ++p) {
    const auto load = [&](int64_t i) HALO_AVX512_VBMI {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + (4 * p + i) * row));
    };
    const __m256i r0 = load(0);
    const __m256i r1 = load(1);
    const __m256i r2 = load(2);
    const __m256i r3 = load(3);
    const __m256i low01 = _mm256_unpacklo_epi8(r0, r1);
    const __m256i high01 = _mm256_unpackhi_epi8(r0, r1);
    const __m256i low23 = _mm256_unpacklo_epi8(r2, r3);
    const __m256i high23 = _mm256_unpackhi_epi8(r2, r3);
    // The 128-bit halves are columns 0 to 15 and 16 to 31.
    const __m256i w0 = _mm256_unpacklo_epi16(low01, low23);
    const __m256i w1 = _mm256_unpackhi_epi16(low01, low23);
    const __m256i w2 = _mm256_unpacklo_epi16(high01, high23);
    const __m256i w3 = _mm256_unpackhi_epi16(high01, high23);
    uint8_t* first = to + p * kLine;
    uint8_t* second = first + kRows * kLine;
    const auto store = [](uint8_t* at, __m128i value) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at), value);
    };
    store(first, _mm256_castsi256_si128(w0));
    store(first + 16, _mm256_castsi256_si128(w1));
    store(first + 32, _mm256_castsi256_si128(w2));
    store(first + 48, _mm256_castsi256_si128(w3));
    store(second, _mm256_extracti128_si256(w0, 1));
    store(second + 16, _mm256_extracti128_si256(w1, 1));
    store(second + 32, _mm256_extracti128_si256(w2, 1));
    store(second + 48, _mm256_extracti128_si256(w3, 1));
  }
}
HALO_AVX512_VBMI void PackRowsOfHalves(const uint8_t* from, int64_t row, uint8_t* to) {
  alignas(64) static constexpr uint16_t kTurn[2][32] = {
      {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
       8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47},
      {16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55,
       24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63}};
  const __m512i first = _mm512_load_si512(kTurn[0]);
  const __m512i second = _mm512_load_si512(kTurn[1]);
  for (int64_t p = 0; p < kRows; ++p) {
    const __m512i even = _mm512_loadu_si512(from + 2 * p * row);
    const __m512i odd = _mm512_loadu_si512(from + (2 * p + 1) * row);
    _mm512_store_si512(to + p * kLine, _mm512_permutex2var_epi16(even, first, odd));
    _mm512_store_si512(to + (kRows + p) * kLine, _mm512_permutex2var_epi16(even, second, odd));
  }
}
// Transposes 32-bit words.
HALO_AVX512_VBMI void PackColumns(const uint8_t* from, int64_t column, uint8_t* to) {
  for (int64_t tile = 0; tile < 2; ++tile) {
    __m512i rows[16];
    for (int64_t i = 0; i < 16; ++i) {
      rows[i] = _mm512_loadu_si512(from + (tile * kRows + i) * column);
    }
    __m512i pairs[16];
    for (int64_t i = 0; i < 16; i += 4) {
      const __m512i low01 = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
      const __m512i high01 = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
      const __m512i low23 = _mm512_unpacklo_epi32(rows[i + 2], rows[i + 3]);
      const __m512i high23 = _mm512_unpackhi_epi32(rows[i + 2], rows[i + 3]);
      pairs[i] = _mm512_unpacklo_epi64(low01, low23);
      pairs[i + 1] = _mm512_unpackhi_epi64(low01, low23);
      pairs[i + 2] = _mm512_unpacklo_epi64(high01, high23);
      pairs[i + 3] = _mm512_unpackhi_epi64(high01, high23);
    }
    // pairs[4 i + j] holds words j, 4 + j, 8 + j and 12 + j of columns 4 i to 4 i + 3.
    for (int64_t j = 0; j < 4; ++j) {
      const __m512i even_low = _mm512_shuffle_i32x4(pairs[j], pairs[4 + j], 0x88);
      const __m512i even_high = _mm512_shuffle_i32x4(pairs[8 + j], pairs[12 + j], 0x88);
      const __m512i odd_low = _mm512_shuffle_i32x4(pairs[j], pairs[4 + j], 0xDD);
      const __m512i odd_high = _mm512_shuffle_i32x4(pairs[8 + j], pairs[12 + j], 0xDD);
      uint8_t* out = to + tile * kRows * kLine;
      _mm512_store_si512(out + j * kLine, _mm512_shuffle_i32x4(even_low, even_high, 0x88));
      _mm512_store_si512(out + (4 + j) * kLine, _mm512_shuffle_i32x4(odd_low, odd_high, 0x88));
      _mm512_store_si512(out + (8 + j) * kLine, _mm512_shuffle_i32x4(even_low, even_high, 0xDD));
      _mm512_store_si512(out + (12 + j) * kLine, _mm512_shuffle_i32x4(odd_low, odd_high, 0xDD));
    }
  }
}

HALO_AVX512_VBMI void PackRows(const uint8_t* from, int64_t row, int64_t rows, int64_t bytes,
                               uint8_t* to) {
  for (int64_t at = 0; at < bytes; at += kLine) {
    const int64_t left = std::min(kLine, bytes - at);
    const __mmask64 mask = left == kLine ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
    for (int64_t i = 0; i < kBlock; ++i, to += kLine) {
      const __m512i line =
          i < rows ? _mm512_maskz_loadu_epi8(mask, from + i * row + at) : _mm512_setzero_si512();
      _mm512_store_si512(to, line);
    }
  }
}

}  // namespace halo::tiles

#endif
