// First fit, because only a few arrays are allocated at a time.
#include "halo/devices/transport/staging.h"

#include "halo/base/round_up.h"

namespace halo {

void Staging::Reset(uint8_t* memory, int64_t bytes) {
  memory_ = memory;
  bytes_ = bytes;
  taken_.clear();
}

uint8_t* Staging::Take(int64_t bytes) {
  const int64_t size = RoundUp(bytes, 64);
  int64_t at = 0;
  for (const auto& [begin, end] : taken_) {
    if (begin - at >= size) break;
    at = end;
  }
  if (bytes_ - at < size) return nullptr;
  taken_[at] = at + size;
  return memory_ + at;
}

void Staging::Give(uint8_t* taken) { taken_.erase(taken - memory_); }

}  // namespace halo
