// Writes and reads snapshots. Keys are sorted and nothing depends on paths, times or the machine.
#include "halo/api/snapshot/snapshot_document.h"

#include "halo/api/describe/choice_lists.h"
#include "halo/api/describe/result_parts.h"
#include "halo/describe/check_request.h"
#include "halo/describe/read_json.h"
#include "halo/describe/write_json.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

ProgramSnapshot SnapshotOf(const v0::SnapshotFigures& from, std::string_view version) {
  ProgramSnapshot to;
  to.version = version;
  to.program = from.program;
  to.backend = from.backend;
  to.instructions = from.instructions;
  to.values = from.fingerprints.values;
  to.module = from.fingerprints.module;
  to.collectives = from.fingerprints.collectives;
  if (from.memory) {
    to.peak_bytes = from.memory->peak_bytes;
    to.memory_bytes = from.memory->bytes;
    to.temp_bytes = from.memory->temp_bytes;
    to.is_planned = from.memory->planned;
  }
  if (from.time) {
    to.seconds = from.time->seconds;
    to.device = from.time->device;
  }
  to.ops.insert(from.ops.begin(), from.ops.end());
  for (const v0::SnapshotSize& each : from.sizes) to.sized[{each.op, each.bytes}] = each.count;
  return to;
}

}  // namespace

v0::SnapshotFigures FiguresOf(const ProgramSnapshot& snapshot) {
  v0::SnapshotFigures to;
  to.program = snapshot.program;
  to.backend = snapshot.backend;
  to.instructions = snapshot.instructions;
  to.fingerprints = {
      .values = snapshot.values, .module = snapshot.module, .collectives = snapshot.collectives};
  if (snapshot.memory_bytes) {
    to.memory = {.peak_bytes = snapshot.peak_bytes,
                 .bytes = *snapshot.memory_bytes,
                 .temp_bytes = snapshot.temp_bytes.value_or(0),
                 .planned = snapshot.is_planned};
  }
  if (snapshot.seconds) to.time = {.seconds = *snapshot.seconds, .device = snapshot.device};
  to.ops.assign(snapshot.ops.begin(), snapshot.ops.end());
  for (const auto& [key, count] : snapshot.sized) {
    to.sizes.push_back({.op = key.first, .bytes = key.second, .count = count});
  }
  return to;
}

std::string SnapshotFileJson(const ProgramSnapshot& snapshot) {
  return describe::DocumentJson(FiguresOf(snapshot));
}

v0::SnapshotResult SnapshotDocument(const SnapshotResult& result) {
  v0::SnapshotResult document;
  for (const Document& each : result.memory.inputs.documents) {
    document.inputs.push_back(InputOf(each));
    AppendReadingDiagnostics(each, document.diagnostics);
  }
  static_cast<v0::SnapshotFigures&>(document) = FiguresOf(result.snapshot);
  document.succeeded = result.succeeded;
  return document;
}

std::string SnapshotJson(const SnapshotResult& result) {
  return describe::DocumentJson(SnapshotDocument(result));
}

bool IsSnapshot(std::string_view bytes) {
  // The schema comes first in a file that `halo snapshot` wrote.
  return bytes.substr(0, 200).find(v0::SnapshotFigures::kSchema) != std::string_view::npos;
}

Result<ProgramSnapshot> ReadSnapshot(std::string_view bytes) {
  const std::optional<JsonValue> json = ParseJson(bytes);
  v0::SnapshotFigures figures;
  if (!json || (*json)["schema"].AsString() != v0::SnapshotFigures::kSchema ||
      !describe::ReadDocument(*json, figures)) {
    Diagnostic bad = MakeBinaryDiagnostic(diag::kCannotExplain, 0, "this is not a whole snapshot");
    bad.help = "make it again with `halo snapshot`";
    return bad;
  }
  return SnapshotOf(figures, (*json)["halo_version"].AsString());
}

Result<SnapshotRequest> RequestOf(const v0::SnapshotRequest& asked) {
  if (const std::string problem = describe::CheckRequest(asked, ChoicesNamed); !problem.empty()) {
    return MakeBinaryDiagnostic(diag::kCannotExplain, 0, problem);
  }
  return SnapshotRequest{.path = {}, .open = {}, .device = asked.device};
}

}  // namespace halo
