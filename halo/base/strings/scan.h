// The byte searches that dominate reading time, sixteen bytes at a time where the processor
// supports it. All may read up to 16 bytes past the byte they stop at, which padded texts allow.
#ifndef HALO_BASE_STRINGS_SCAN_H_
#define HALO_BASE_STRINGS_SCAN_H_

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace halo {

// The first byte at or after `p` that is one of `wanted` or zero.
template <class... Chars>
inline const char* FindAnyOrZero(const char* p, Chars... wanted) {
#if defined(__SSE2__)
  const __m128i zero = _mm_setzero_si128();
  for (;; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i hits = _mm_cmpeq_epi8(bytes, zero);
    ((hits = _mm_or_si128(hits, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted)))), ...);
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    if (mask != 0) return p + std::countr_zero(mask);
  }
#else
  while (((*p != wanted) && ...) && *p != '\0') ++p;
  return p;
#endif
}

}  // namespace halo

#endif  // HALO_BASE_STRINGS_SCAN_H_
