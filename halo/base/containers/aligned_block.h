// A block of zeroed memory, aligned for vector instructions. Large blocks come straight from the
// system, in huge pages where available, and are returned as a whole.
#ifndef HALO_BASE_CONTAINERS_ALIGNED_BLOCK_H_
#define HALO_BASE_CONTAINERS_ALIGNED_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace halo {

// Surrounds every block with pages that cannot be accessed, so that code that leaves its block
// stops at once. A block begins or ends at such a page: two runs cover both ends. The bytes between
// the end of a block and a page boundary are filled with a pattern, which is checked when the block
// is freed. Slow; for tests.
enum class GuardPages : uint8_t {
  kNone,
  kAfter,   // blocks end at a guard page, at most kAlignment - 1 bytes before it
  kBefore,  // blocks begin right after a guard page
};
// For blocks allocated from now on, in any thread. At first it is what the environment variable
// HALO_GUARD_PAGES says: `after` or `before`. Without memory mapping it has no effect.
void SetGuardPages(GuardPages guard);

class AlignedBlock {
 public:
  static constexpr size_t kAlignment = 64;

  AlignedBlock() = default;
  // data() is null if the system is out of memory or if `bytes` is negative.
  explicit AlignedBlock(int64_t bytes);
  ~AlignedBlock();
  AlignedBlock(AlignedBlock&& other) noexcept { *this = std::move(other); }
  AlignedBlock& operator=(AlignedBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(mapped_, other.mapped_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    std::swap(guarded_bytes_, other.guarded_bytes_);
    return *this;
  }
  AlignedBlock(const AlignedBlock&) = delete;
  AlignedBlock& operator=(const AlignedBlock&) = delete;

  [[nodiscard]] uint8_t* data() const { return data_; }

 private:
  bool MapWithGuards(size_t bytes, GuardPages guard);
  // The bytes around a guarded block up to the guard pages; calls `visit(begin, end)` for each
  // part.
  template <class Visit>
  void ForSlack(const Visit& visit) const;

  uint8_t* data_ = nullptr;
  void* mapped_ = nullptr;  // the whole mapping, if the block is large or guarded
  size_t mapped_bytes_ = 0;
  int64_t guarded_bytes_ = -1;  // the block's size, if it is guarded
};

}  // namespace halo

#endif  // HALO_BASE_CONTAINERS_ALIGNED_BLOCK_H_
