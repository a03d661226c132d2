// Reads arbitrary bytes as a safetensors file. Every array that can be read must have as many bytes
// as its dimensions say.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halo/base/arrays/safetensors.h"
#include "halo/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const halo::Result<halo::SafetensorsReader> reader = halo::SafetensorsReader::Open(bytes);
  if (!reader) return 0;
  for (size_t i = 0; i < reader->size(); ++i) {
    const halo::Result<halo::NpyArray> array = reader->Read(i);
    HALO_CHECK(array.ok());
    size_t expected = array->type.bytes;
    for (const int64_t dim : array->dims) expected *= static_cast<size_t>(dim);
    HALO_CHECK(array->bytes.size() == expected);
    size_t sum = 0;
    for (const uint8_t byte : array->bytes) sum += byte;
    HALO_CHECK(sum <= 255 * array->bytes.size());
  }
  return 0;
}
