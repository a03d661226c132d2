// One array as numpy's .npy files hold it: versions 1 to 3 of the header, little endian, rows first
// or columns first. What an element type means to a program is decided elsewhere.
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
  char kind = 'f';   // b, i, u, f, c, or V for bytes without a meaning to numpy
  size_t bytes = 4;  // of an element
  std::string name;  // a type that numpy itself lacks, if the file names it: "bfloat16"

  friend bool operator==(const NpyType&, const NpyType&) = default;
};
// As people write it: "float32", "bfloat16", "void16".
std::string TextOf(const NpyType& type);

struct NpyHeader {
  NpyType type;
  std::vector<int64_t> dims;
  bool columns_first = false;
  size_t data_begin = 0;  // where the elements stand in the file
  size_t data_bytes = 0;  // what they take; fits in memory's address space
};

// No header is longer; what is beyond is not looked at.
inline constexpr size_t kMaxNpyHeader = size_t{64} << 10;

// From the beginning of a file, which need not hold the elements.
Result<NpyHeader> ReadNpyHeader(std::string_view bytes);
// The elements row by row: a view of `bytes` where they stand so, else copied into `room`.
Result<std::span<const uint8_t>> NpyElements(const NpyHeader& header, std::string_view bytes,
                                             std::vector<uint8_t>& room);

// What stands before the elements, which follow row by row.
std::string WriteNpyHeader(const NpyType& type, std::span<const int64_t> dims);

}  // namespace halo

#endif  // HALO_BASE_ARRAYS_NPY_H_
