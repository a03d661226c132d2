// The few figures of a program that a project wants to watch: `halo snapshot` as a function.
#ifndef HALOSCOPE_SNAPSHOT_H_
#define HALOSCOPE_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/document.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct SnapshotState;

struct SnapshotRequest {
  std::vector<Document> related;  // other files about the program, as OpenRelated finds them
  std::string device;             // to predict the time for; empty: the one it was compiled for
};

struct SnapshotResult {
  bool succeeded = false;
  std::vector<Diagnostic> diagnostics;  // if it did not succeed, why
  std::string program;                  // the module's name
  int64_t instructions = 0;
  // Fingerprints of what is computed, of how it is compiled, and of the sequence of collectives.
  std::string values, module, collectives;
  std::optional<int64_t> peak_bytes, memory_bytes, temp_bytes;
  std::optional<double> seconds;  // of one step, predicted
  std::string device;             // that `seconds` is predicted for

  // The file that `halo snapshot` writes, schema halo.snapshot.v1: the same bytes for the same
  // program.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;

  std::shared_ptr<const SnapshotState> state;  // what ToJson needs
};

HALO_EXPORT SnapshotResult Snapshot(const Document& document, const SnapshotRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_SNAPSHOT_H_
