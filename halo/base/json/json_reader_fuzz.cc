// Parses arbitrary bytes: they are accepted or rejected without a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halo/base/json/json_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto value = halo::ParseJson({reinterpret_cast<const char*>(data), size});
  if (value) {
    (void)(*value)["a"].AsInts();
    (void)value->AsDouble(0);
  }
  return 0;
}
