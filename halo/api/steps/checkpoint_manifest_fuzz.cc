// Reads arbitrary bytes as the manifest of a checkpoint. What can be read must survive a write and
// another read, and describe as many files as devices.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "halo/api/steps/checkpoint_manifest.h"
#include "halo/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::optional<halo::CheckpointManifest> manifest =
      halo::ReadManifest(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!manifest) return 0;
  HALO_CHECK(static_cast<int64_t>(manifest->files.size()) ==
             manifest->replicas * manifest->partitions);
  HALO_CHECK(halo::ReadManifest(halo::WriteManifest(*manifest)) == manifest);
  HALO_CHECK(halo::WhyNotContinue(*manifest, *manifest).empty());
  return 0;
}
