// Memory straight from the system: untouched pages cost nothing, and none is left behind.
#include "halo/runtime/arena.h"

#include <sys/mman.h>

namespace halo {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kSmallPage = 4096;

}  // namespace

Arena::Arena(int64_t bytes) {
  if (bytes < 0) return;
  const bool large = static_cast<size_t>(bytes) >= kHugePage;
  const size_t page = large ? kHugePage : kSmallPage;
  const size_t size = (static_cast<size_t>(bytes) + page) / page * page;
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return;
  if (large) madvise(at, size, MADV_HUGEPAGE);
  data_ = static_cast<uint8_t*>(at);
  mapped_ = size;
}

Arena::~Arena() {
  if (data_ != nullptr) munmap(data_, mapped_);
}

}  // namespace halo
