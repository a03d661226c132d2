// Reads arbitrary bytes as HLO text. A module that passes the verifier is shrunk by bytes, by one
// of its dimensions or to fewer devices. The output must pass the verifier as well, or there must
// be a reason why there is none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halo/base/check.h"
#include "halo/semantics/verify/verify.h"
#include "halo/shrink/shrink.h"
#include "halo/text/read/read_text.h"

namespace {

constexpr size_t kMostInstructions = 2000;  // keeps each input fast

void Check(const halo::Module& module, const halo::ShrinkOptions& options) {
  const halo::ShrinkResult result = halo::Shrink(module, options);
  if (!result.refused.empty()) return;
  HALO_CHECK(result.module.insts.size() == module.insts.size());
  HALO_CHECK(halo::Verify(result.module, {.warnings = false}).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const halo::TextReadResult read = halo::ReadHloText(bytes);
  if (!read.diagnostics.ok() || read.module.insts.size() > kMostInstructions) return 0;
  if (!read.module.entry.valid() || !halo::Verify(read.module, {.warnings = false}).ok()) return 0;
  halo::ShrinkOptions options;
  options.bytes = 256;
  Check(read.module, options);
  // The last byte chooses a dimension of the last instruction.
  const halo::ShapeId shape = read.module.insts[read.module.insts.size() - 1].shape;
  if (size > 0 && read.module.shapes.is_array(shape)) {
    const auto dims = read.module.shapes.dims(shape);
    if (!dims.empty()) {
      const int64_t old = dims[data[size - 1] % dims.size()];
      options = {};
      options.dims = {{old, std::max<int64_t>(1, old / 2)}};
      Check(read.module, options);
    }
  }
  options = {};
  options.devices = 2;
  options.bytes = 4096;
  Check(read.module, options);
  return 0;
}
