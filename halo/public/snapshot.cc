// `halo snapshot` through the public interface.
#include "haloscope/snapshot.h"

#include <string_view>
#include <utility>

#include "halo/api/snapshot/program_snapshot.h"
#include "halo/cost/device/time_device.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/public/document_state.h"
#include "halo/view/model/shown_assignment.h"

namespace halo::v0 {
namespace {

SnapshotResult Refused(std::string message, const Document& document) {
  SnapshotResult result;
  result.diagnostics = document.diagnostics();
  result.diagnostics.push_back(PublicDiagnostic(
      MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message)), document.path()));
  return result;
}

}  // namespace

struct SnapshotState {
  std::vector<std::shared_ptr<const halo::Document>> files;
  ProgramSnapshot snapshot;
};

std::string SnapshotResult::ToJson() const {
  return state == nullptr ? std::string() : SnapshotJson(state->snapshot) + "\n";
}

SnapshotResult Snapshot(const Document& document, const SnapshotRequest& request) {
  const std::shared_ptr<const halo::Document>& file = OpenedFile(document);
  if (file->modules.empty() || file->errors() != 0) {
    return Refused(document.path() + " cannot be read as a program", document);
  }
  if (!request.device.empty() && !FindTimeDevice(request.device)) {
    return Refused("no device is called " + request.device, document);
  }
  const auto state = std::make_shared<SnapshotState>();
  state->files.push_back(file);
  for (const Document& each : request.related) state->files.push_back(OpenedFile(each));
  const halo::SnapshotResult taken = TakeSnapshot(
      view::InputsOf(state->files, &file->modules.front().module, file->path), request.device);
  state->snapshot = taken.snapshot;
  SnapshotResult result;
  result.succeeded = taken.succeeded;
  const ProgramSnapshot& from = taken.snapshot;
  result.program = from.program;
  result.instructions = from.instructions;
  result.values = from.values;
  result.module = from.module;
  result.collectives = from.collectives;
  result.peak_bytes = from.peak_bytes;
  result.memory_bytes = from.memory_bytes;
  result.temp_bytes = from.temp_bytes;
  result.seconds = from.seconds;
  result.device = from.device;
  result.state = state;
  return result;
}

}  // namespace halo::v0
