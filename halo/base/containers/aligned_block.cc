// Large blocks are mapped and start on a huge-page boundary. Pages that are never touched cost
// nothing.
#include "halo/base/containers/aligned_block.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#if defined(__linux__) && !defined(__wasm__)
#include <sys/mman.h>
#define HALO_MAPS_ARENAS 1
#endif

namespace halo {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr int64_t kWorthTrying = int64_t{64} << 20;

}  // namespace

AlignedBlock::AlignedBlock(int64_t bytes) {
  if (bytes < 0 || static_cast<uint64_t>(bytes) > std::numeric_limits<size_t>::max() / 2) return;
  const auto size = static_cast<size_t>(bytes);
#ifdef HALO_MAPS_ARENAS
  if (size >= kHugePage) {
    const size_t whole = (size + 2 * kHugePage - 1) / kHugePage * kHugePage;
    void* at = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    madvise(at, whole, MADV_HUGEPAGE);
    mapped_ = at;
    mapped_bytes_ = whole;
    const auto begin = reinterpret_cast<uintptr_t>(at);
    data_ = static_cast<uint8_t*>(at) + (kHugePage - begin % kHugePage) % kHugePage;
    return;
  }
#endif
  const size_t rounded = (std::max<size_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  data_ = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, rounded));
  if (data_ != nullptr) std::memset(data_, 0, rounded);
}

bool AlignedBlock::IsAvailable(int64_t bytes) {
  return bytes < kWorthTrying || AlignedBlock(bytes).data() != nullptr;
}

AlignedBlock::~AlignedBlock() {
#ifdef HALO_MAPS_ARENAS
  if (mapped_ != nullptr) {
    munmap(mapped_, mapped_bytes_);
    return;
  }
#endif
  std::free(data_);
}

}  // namespace halo
