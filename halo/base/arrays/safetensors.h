// Archives of arrays in the safetensors format, which is common for weights: a length, a JSON
// header with each array's type, dimensions and position, then the elements in row-major order.
// Arrays are read in place and only on request.
#ifndef HALO_BASE_ARRAYS_SAFETENSORS_H_
#define HALO_BASE_ARRAYS_SAFETENSORS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/arrays/npz.h"
#include "halo/base/diagnostics/result.h"

namespace halo {

class SafetensorsReader {
 public:
  // Checks the first bytes only; the file may still be invalid.
  static bool IsLikely(std::string_view bytes);
  // Reads the header. `bytes` must outlive the reader and the arrays it returns.
  static Result<SafetensorsReader> Open(std::string_view bytes);

  [[nodiscard]] size_t size() const { return members_.size(); }
  [[nodiscard]] std::string_view name(size_t i) const { return members_[i].name; }
  [[nodiscard]] Result<NpyHeader> Describe(size_t i) const { return members_[i].header; }
  [[nodiscard]] Result<NpyArray> Read(size_t i) const;

 private:
  struct Member {
    std::string name;
    NpyHeader header;  // offsets count from the start of the file
  };

  std::string_view bytes_;
  std::vector<Member> members_;
};

}  // namespace halo

#endif  // HALO_BASE_ARRAYS_SAFETENSORS_H_
