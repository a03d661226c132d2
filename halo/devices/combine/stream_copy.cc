// Non-temporal stores: a result that is written once and read much later need not be fetched into
// the cache first.
#include "halo/devices/combine/stream_copy.h"

#include <cstring>

#include "halo/runtime/cpu_level.h"

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <atomic>
#endif

namespace halo {
namespace {

using Line = uint64_t __attribute__((vector_size(64)));

// `to` must be aligned to a cache line.
void StreamLines(uint8_t* to, const uint8_t* from, size_t lines) {
  ForCpu([=](auto) HALO_INLINED {
    for (size_t i = 0; i < lines; ++i) {
      Line line;
      std::memcpy(&line, from + i * sizeof(Line), sizeof(Line));
      __builtin_nontemporal_store(line, reinterpret_cast<Line*>(to) + i);
    }
  });
}

}  // namespace

void CopyBytes(uint8_t* to, const uint8_t* from, size_t bytes, bool stream) {
  if (!stream || bytes < 4 * sizeof(Line)) {
    std::memcpy(to, from, bytes);
    return;
  }
  const size_t head = (0 - reinterpret_cast<uintptr_t>(to)) % sizeof(Line);
  const size_t lines = (bytes - head) / sizeof(Line);
  std::memcpy(to, from, head);
  StreamLines(to + head, from + head, lines);
  const size_t done = head + lines * sizeof(Line);
  std::memcpy(to + done, from + done, bytes - done);
}

void EndStream() {
#if defined(__x86_64__)
  _mm_sfence();
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
}

}  // namespace halo
