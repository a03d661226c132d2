// One array in numpy's .npy format: header versions 1 to 3, little endian, row-major or
// column-major. What an element type means to a program is decided elsewhere.
#ifndef HALO_BASE_ARRAYS_NPY_H_
#define HALO_BASE_ARRAYS_NPY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"

namespace halo {

struct NpyType {
  char kind = 'f';   // b, i, u, f, c, or V for bytes that numpy does not interpret
  size_t bytes = 4;  // per element
  std::string name;  // a type that numpy lacks, if the file names one: "bfloat16"

  friend bool operator==(const NpyType&, const NpyType&) = default;
};
// The type for display: "float32", "bfloat16", "void16".
std::string TextOf(const NpyType& type);

struct NpyHeader {
  NpyType type;
  std::vector<int64_t> dims;
  bool is_column_major = false;
  size_t data_begin = 0;  // file offset of the elements
  size_t data_bytes = 0;  // size of the elements; fits in the address space
};

// Maximum header length; the reader looks at nothing beyond it.
inline constexpr size_t kMaxNpyHeader = size_t{64} << 10;

// Takes the beginning of a file, which need not include the elements.
Result<NpyHeader> ReadNpyHeader(std::string_view bytes);
// The elements in row-major order: a view of `bytes` if they are stored that way, otherwise a copy
// in `storage`.
Result<std::span<const uint8_t>> NpyElements(const NpyHeader& header, std::string_view bytes,
                                             std::vector<uint8_t>& storage);

// The header, which the caller follows with the elements in row-major order.
std::string WriteNpyHeader(const NpyType& type, std::span<const int64_t> dims);

}  // namespace halo

#endif  // HALO_BASE_ARRAYS_NPY_H_
