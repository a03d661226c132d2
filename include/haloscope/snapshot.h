// The few figures of a program that a project wants to watch: `halo snapshot` as a function.
#ifndef HALOSCOPE_SNAPSHOT_H_
#define HALOSCOPE_SNAPSHOT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haloscope/document.h"
#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"

namespace halo {
HALO_V0_BEGIN

struct SnapshotRequest {
  std::string device;
};

template <class V>
void Fields(V& v, SnapshotRequest& r) {
  v.Group("Assumptions");
  v("device", r.device,
    "Predict the time of a step on this device (default: the one the program was compiled for)",
    Choices{"time_device"});
}

struct SnapshotFingerprints {
  std::string values, module, collectives;
};

template <class V>
void Fields(V& v, SnapshotFingerprints& r) {
  v("values", r.values,
    "of what is computed; equal fingerprints of one version of halo mean equal values");
  v("module", r.module, "of how it is compiled: fusions, layouts, configurations, order");
  v("collectives", r.collectives, "of the sequence of collectives");
}

struct SnapshotMemory {
  std::optional<int64_t> peak_bytes;
  int64_t bytes = 0, temp_bytes = 0;
  bool planned = false;
};

template <class V>
void Fields(V& v, SnapshotMemory& r) {
  v("peak_bytes", r.peak_bytes, "live at the same time, at most", Unit::kBytes,
    When{"absent without live ranges"});
  v("bytes", r.bytes, "of all allocations in the device's main memory", Unit::kBytes);
  v("temp_bytes", r.temp_bytes, "of these, temporary", Unit::kBytes);
  v("planned", r.planned, "by halo; false: by XLA");
}

struct SnapshotTime {
  double seconds = 0;
  std::string device;
};

template <class V>
void Fields(V& v, SnapshotTime& r) {
  v("seconds", r.seconds, "of one step, to six digits", Unit::kSeconds);
  v("device", r.device, "predicted for this device");
}

// Copies or collectives of one size.
struct SnapshotSize {
  std::string op;
  int64_t bytes = 0, count = 0;
};

template <class V>
void Fields(V& v, SnapshotSize& r) {
  v("op", r.op, "");
  v("bytes", r.bytes, "of the result", Unit::kBytes);
  v("count", r.count, "of instructions of this size");
}

// The contents of the file, which depend on nothing but the program and the version of Haloscope.
struct SnapshotFigures {
  static constexpr std::string_view kSchema = "halo.snapshot.v1";

  std::string program, backend;
  int64_t instructions = 0;
  SnapshotFingerprints fingerprints;
  std::optional<SnapshotMemory> memory;
  std::optional<SnapshotTime> time;
  std::vector<std::pair<std::string, int64_t>> ops;
  std::vector<SnapshotSize> sizes;
};

template <class V>
void Fields(V& v, SnapshotFigures& r) {
  v("program", r.program, "the module's name");
  v("backend", r.backend, "`cpu`, `gpu`, `tpu`; empty if unknown", Choices{"backend"});
  v("instructions", r.instructions, "of the whole module");
  v("fingerprints", r.fingerprints, "of one version of halo");
  v("memory", r.memory, "that the program needs", When{"absent if it cannot be planned"});
  v("time", r.time, "that a step takes", When{"absent if it cannot be predicted"});
  v("ops", r.ops, "instructions outside fusions by op; a start and its done count as one");
  v("sizes", r.sizes, "copies and collectives by size");
}

struct SnapshotResult : ResultParts, SnapshotFigures {
  bool succeeded = false;  // false: the diagnostics say why

  // The file that `halo snapshot` writes: the same bytes for the same program. Empty if there is no
  // result.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;
};

template <class V>
void Fields(V& v, SnapshotResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  Fields(v, static_cast<SnapshotFigures&>(r));
}

// `related`: other files about the same program, such as its buffer assignment; see OpenRelated.
HALO_EXPORT SnapshotResult Snapshot(const Document& document, const SnapshotRequest& request = {},
                                    std::span<const Document> related = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_SNAPSHOT_H_
