// Reads arbitrary bytes as an archive of arrays or as a single array. Every array that can be read
// must have as many bytes as its shape says, and must survive a write and another read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "halo/base/arrays/npz.h"
#include "halo/base/arrays/npz_writer.h"
#include "halo/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const halo::Result<halo::NpzReader> reader =
      halo::NpzReader::Open(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!reader) return 0;
  std::string written;
  halo::NpzWriter writer([&written](std::string_view bytes) {
    written += bytes;
    return true;
  });
  std::vector<halo::NpyArray> arrays;
  for (size_t i = 0; i < std::min<size_t>(reader->size(), 4); ++i) {
    halo::Result<halo::NpyArray> array = reader->Read(i);
    if (!array) continue;
    writer.Add("a" + std::to_string(arrays.size()), array->type, array->dims, array->bytes);
    arrays.push_back(std::move(*array));
  }
  HALO_CHECK(writer.Finish());
  const halo::Result<halo::NpzReader> again = halo::NpzReader::Open(written);
  HALO_CHECK(again.ok());
  HALO_CHECK(again->size() == arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const halo::Result<halo::NpyArray> array = again->Read(i);
    HALO_CHECK(array.ok());
    HALO_CHECK(array->dims == arrays[i].dims);
    HALO_CHECK(std::ranges::equal(array->bytes, arrays[i].bytes));
  }
  return 0;
}
