// The manifest of a checkpoint: what it is a checkpoint of, and what each of its files must be. It
// is the last file that is written, so a checkpoint with a manifest is whole. The manifest names no
// paths; they follow from the step and the device.
#ifndef HALO_API_STEPS_CHECKPOINT_MANIFEST_H_
#define HALO_API_STEPS_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halo {

struct CheckpointFile {
  int64_t bytes = 0;
  uint32_t crc = 0;
  uint64_t inputs = 0;  // digest of the inputs that no result replaces

  friend bool operator==(const CheckpointFile&, const CheckpointFile&) = default;
};

struct CheckpointManifest {
  int64_t step = 0;     // steps done
  std::string program;  // name of the module
  uint64_t fingerprint = 0;
  int64_t replicas = 1, partitions = 1;
  // What decides the bits besides the program, as name and value: engine, build, CPU, options.
  std::vector<std::pair<std::string, std::string>> made_with;
  std::vector<CheckpointFile> files;  // by device

  friend bool operator==(const CheckpointManifest&, const CheckpointManifest&) = default;
};

inline constexpr size_t kMaxManifest = size_t{4} << 20;
inline constexpr int64_t kMaxCheckpointDevices = 4096;

// JSON, schema halo.checkpoint.v1, with a checksum of everything else in it.
std::string WriteManifest(const CheckpointManifest& manifest);
// Nullopt if the text is not a manifest, or not as it was written.
std::optional<CheckpointManifest> ReadManifest(std::string_view text);

// Why a run must not continue from a checkpoint; empty if it may. `now` describes the run.
std::string WhyNotContinue(const CheckpointManifest& then, const CheckpointManifest& now);

}  // namespace halo

#endif  // HALO_API_STEPS_CHECKPOINT_MANIFEST_H_
