// Large blocks are mapped and start on a huge-page boundary. Pages that are never touched cost
// nothing.
#include "halo/base/containers/aligned_block.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "halo/base/check.h"

#if defined(__linux__) && !defined(__wasm__)
#include <sys/mman.h>
#include <unistd.h>
#define HALO_MAPS_ARENAS 1
#endif

namespace halo {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr uint8_t kSlackByte = 0xC5;

GuardPages FromEnvironment() {
  const char* value = std::getenv("HALO_GUARD_PAGES");
  const std::string_view text = value == nullptr ? "" : value;
  return text == "after"    ? GuardPages::kAfter
         : text == "before" ? GuardPages::kBefore
                            : GuardPages::kNone;
}

std::atomic<GuardPages>& Guard() {
  static std::atomic<GuardPages> guard(FromEnvironment());
  return guard;
}

}  // namespace

void SetGuardPages(GuardPages guard) { Guard().store(guard, std::memory_order_relaxed); }

template <class Visit>
void AlignedBlock::ForSlack(const Visit& visit) const {
#ifdef HALO_MAPS_ARENAS
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* begin = static_cast<uint8_t*>(mapped_) + page;
  visit(begin, data_);
  visit(data_ + guarded_bytes_, begin + (mapped_bytes_ - 2 * page));
#else
  (void)visit;
#endif
}

bool AlignedBlock::MapWithGuards(size_t bytes, GuardPages guard) {
#ifdef HALO_MAPS_ARENAS
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t inner = (std::max<size_t>(bytes, 1) + page - 1) / page * page;
  const size_t whole = inner + 2 * page;
  void* at = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  auto* begin = static_cast<uint8_t*>(at) + page;
  if (mprotect(begin, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(at, whole);
    return false;
  }
  mapped_ = at;
  mapped_bytes_ = whole;
  guarded_bytes_ = static_cast<int64_t>(bytes);
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  data_ = guard == GuardPages::kAfter ? begin + (inner - rounded) : begin;
  ForSlack([](uint8_t* from, uint8_t* to) { std::fill(from, to, kSlackByte); });
  return true;
#else
  (void)bytes;
  (void)guard;
  return false;
#endif
}

AlignedBlock::AlignedBlock(int64_t bytes) {
  if (bytes < 0 || static_cast<uint64_t>(bytes) > std::numeric_limits<size_t>::max() / 2) return;
  const auto size = static_cast<size_t>(bytes);
#ifdef HALO_MAPS_ARENAS
  if (const GuardPages guard = Guard().load(std::memory_order_relaxed);
      guard != GuardPages::kNone) {
    MapWithGuards(size, guard);
    return;
  }
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

AlignedBlock::~AlignedBlock() {
#ifdef HALO_MAPS_ARENAS
  if (mapped_ != nullptr) {
    if (guarded_bytes_ >= 0) {
      ForSlack([](const uint8_t* from, const uint8_t* to) {
        // Something wrote outside the block.
        HALO_CHECK(std::all_of(from, to, [](uint8_t byte) { return byte == kSlackByte; }));
      });
    }
    munmap(mapped_, mapped_bytes_);
    return;
  }
#endif
  std::free(data_);
}

}  // namespace halo
