// A block of zeroed memory for a plan: aligned, in huge pages where it is large, given back as a
// whole.
#ifndef HALO_RUNTIME_ARENA_H_
#define HALO_RUNTIME_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace halo {

class Arena {
 public:
  Arena() = default;
  // Without memory (data() is null) if the system has none.
  explicit Arena(int64_t bytes);
  ~Arena();
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(mapped_, other.mapped_);
    return *this;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] uint8_t* data() const { return data_; }

 private:
  uint8_t* data_ = nullptr;
  size_t mapped_ = 0;
};

}  // namespace halo

#endif  // HALO_RUNTIME_ARENA_H_
