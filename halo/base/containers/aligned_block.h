// A block of zeroed memory, aligned for vector instructions. Large blocks come straight from the
// system, in huge pages where available, and are returned as a whole.
#ifndef HALO_BASE_CONTAINERS_ALIGNED_BLOCK_H_
#define HALO_BASE_CONTAINERS_ALIGNED_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace halo {

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
    return *this;
  }
  AlignedBlock(const AlignedBlock&) = delete;
  AlignedBlock& operator=(const AlignedBlock&) = delete;

  [[nodiscard]] uint8_t* data() const { return data_; }

  // False if the system would refuse a block of this size now. Small blocks are not tried.
  static bool IsAvailable(int64_t bytes);

 private:
  uint8_t* data_ = nullptr;
  void* mapped_ = nullptr;  // the whole mapping, if the block is large
  size_t mapped_bytes_ = 0;
};

}  // namespace halo

#endif  // HALO_BASE_CONTAINERS_ALIGNED_BLOCK_H_
