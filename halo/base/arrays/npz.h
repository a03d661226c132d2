// Archives of arrays as numpy.savez and savez_compressed write them: a zip file whose members are
// .npy files, stored or deflated, also beyond 4 GiB. Members are read one at a time and only on
// request, so that a caller can look at shapes before it spends memory.
#ifndef HALO_BASE_ARRAYS_NPZ_H_
#define HALO_BASE_ARRAYS_NPZ_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/arrays/npy.h"
#include "halo/base/diagnostics/result.h"

namespace halo {

// An array that was read. Its elements are in the file or in memory that the array owns, so it can
// be moved but not copied.
struct NpyArray {
  NpyType type;
  std::vector<int64_t> dims;
  std::span<const uint8_t> bytes;  // row-major
  std::vector<uint8_t> owned;

  NpyArray() = default;
  NpyArray(NpyArray&&) = default;
  NpyArray& operator=(NpyArray&&) = default;
  NpyArray(const NpyArray&) = delete;
  NpyArray& operator=(const NpyArray&) = delete;
  ~NpyArray() = default;
};

class NpzReader {
 public:
  // Reads the list of members. A lone .npy array is an archive of one member without a name.
  // `bytes` must outlive the reader and the arrays it returns.
  static Result<NpzReader> Open(std::string_view bytes);

  [[nodiscard]] size_t size() const { return members_.size(); }
  // The name without ".npy".
  [[nodiscard]] std::string_view name(size_t i) const { return members_[i].name; }
  [[nodiscard]] std::optional<size_t> Find(std::string_view name) const;

  // Reads type and dimensions only, using little memory whatever the size of the member.
  [[nodiscard]] Result<NpyHeader> Describe(size_t i) const;
  [[nodiscard]] Result<NpyArray> Read(size_t i) const;

 private:
  struct Member {
    std::string name;
    std::string_view stored;
    uint64_t bytes = 0;  // after inflation
    uint32_t crc = 0;
    bool is_deflated = false;
    bool has_crc = false;
  };
  class Directory;

  [[nodiscard]] Diagnostic About(size_t i, const Diagnostic& why) const;
  std::vector<Member> members_;
};

}  // namespace halo

#endif  // HALO_BASE_ARRAYS_NPZ_H_
