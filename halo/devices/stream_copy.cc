// Stores that bypass the caches: a result that is written once and read much later need not be
// fetched first.
#include "halo/devices/stream_copy.h"

#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace halo {

#if defined(__x86_64__)

void CopyBytes(uint8_t* to, const uint8_t* from, size_t bytes, bool stream) {
  if (!stream || bytes < 256) {
    std::memcpy(to, from, bytes);
    return;
  }
  const size_t head = (64 - reinterpret_cast<uintptr_t>(to) % 64) % 64;
  std::memcpy(to, from, head);
  size_t at = head;
  for (; at + 64 <= bytes; at += 64) {
    for (size_t i = 0; i < 64; i += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + i)));
    }
  }
  std::memcpy(to + at, from + at, bytes - at);
}

void EndStream() { _mm_sfence(); }

#else

void CopyBytes(uint8_t* to, const uint8_t* from, size_t bytes, bool) {
  std::memcpy(to, from, bytes);
}

void EndStream() { std::atomic_thread_fence(std::memory_order_release); }

#endif

}  // namespace halo
