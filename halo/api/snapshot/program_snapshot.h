// A snapshot of a program: the few figures that a project wants to keep an eye on, small enough to
// commit, and the same bytes whenever the same program is read by the same version.
#ifndef HALO_API_SNAPSHOT_PROGRAM_SNAPSHOT_H_
#define HALO_API_SNAPSHOT_PROGRAM_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "halo/api/memory/memory.h"

namespace halo {

struct ProgramSnapshot {
  std::string version;  // of Haloscope; fingerprints of other versions cannot be compared
  std::string program;  // the module's name
  std::string backend;
  int64_t instructions = 0;
  // Of what is computed, of how it is compiled, and of the sequence of collectives.
  std::string values, module, collectives;
  std::optional<int64_t> peak_bytes;    // live at the same time, at most
  std::optional<int64_t> memory_bytes;  // of all allocations in the device's main memory
  std::optional<int64_t> temp_bytes;    // of these, temporary
  bool is_planned = false;              // by halo; false: by XLA
  std::optional<double> seconds;        // of one step, predicted
  std::string device;                   // that `seconds` is predicted for
  // Instructions outside fusions by op; a start and its done count as the op they perform.
  std::map<std::string, int64_t> ops;
  // Copies and collectives by op and bytes of the result.
  std::map<std::pair<std::string, int64_t>, int64_t> sized;

  // Of ops with sizes: how many have more than so many bytes.
  [[nodiscard]] int64_t CountAbove(std::string_view op, int64_t bytes) const;
  [[nodiscard]] int64_t Count(std::string_view op) const;
  // Of all collectives.
  [[nodiscard]] int64_t collective_count() const;
  [[nodiscard]] int64_t collective_bytes() const;
};

// True for ops whose sizes a snapshot keeps.
bool HasSizes(std::string_view op);

struct SnapshotRequest {
  std::string path;  // of a module
  OpenOptions open;
  std::string device;  // to predict the time for; empty: inferred
};

// A program that was read, and its snapshot.
struct SnapshotResult {
  MemoryResult memory;                 // owns the documents
  const Document* document = nullptr;  // the module's
  ProgramSnapshot snapshot;
  bool succeeded = false;
};

SnapshotResult TakeSnapshot(const SnapshotRequest& request);
// The same for a program that is open: the module of `inputs`, which must outlive the result.
SnapshotResult TakeSnapshot(MemoryInputs inputs, const std::string& device);

}  // namespace halo

#endif  // HALO_API_SNAPSHOT_PROGRAM_SNAPSHOT_H_
