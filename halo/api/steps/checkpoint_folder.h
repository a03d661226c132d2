// The files of checkpoints in one folder: a manifest, and for each device one archive of arrays
// that `halo run --inputs` reads too. Every file is written under another name, synced and renamed.
// The manifest decides which archives count; replacing it is what makes a checkpoint the last one.
#ifndef HALO_API_STEPS_CHECKPOINT_FOLDER_H_
#define HALO_API_STEPS_CHECKPOINT_FOLDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/steps/checkpoint_manifest.h"
#include "halo/base/diagnostics/result.h"
#include "halo/eval/lanes/array.h"

namespace halo {

struct CheckpointArray {
  std::string name;
  Array array;
};

class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}

  // Creates the folder if it is missing. Returns why it cannot be used.
  [[nodiscard]] std::optional<std::string> Create() const;
  [[nodiscard]] std::string ManifestPath() const;
  [[nodiscard]] std::string StatePath(int64_t step, int64_t device) const;

  // The manifest's text; empty if there is none. An error if it cannot be read.
  [[nodiscard]] Result<std::string> ReadManifestText() const;
  // Returns why it was not written; the old one is then still there.
  [[nodiscard]] std::optional<std::string> WriteManifestText(std::string_view text) const;

  // Bytes and checksum of the file are set; or an error, and there is no such file.
  [[nodiscard]] Result<CheckpointFile> WriteState(int64_t step, int64_t device,
                                                  const std::vector<CheckpointArray>& arrays) const;
  // Fills arrays that have the names, types and dimensions that the file must have. Returns what is
  // wrong with the file.
  [[nodiscard]] std::optional<std::string> ReadState(int64_t step, int64_t device,
                                                     const CheckpointFile& expected,
                                                     std::vector<CheckpointArray>& arrays) const;

  void RemoveState(int64_t step, int64_t device) const;
  // Removes what interrupted runs left of a device, all but the state after `kept` steps.
  void RemoveOthers(int64_t kept, int64_t device) const;
  // Removes files that are not whole. No process may be writing.
  void RemoveUnfinished() const;

 private:
  std::string path_;
};

}  // namespace halo

#endif  // HALO_API_STEPS_CHECKPOINT_FOLDER_H_
