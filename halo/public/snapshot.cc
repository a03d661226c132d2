// `halo snapshot` through the public interface.
#include "haloscope/snapshot.h"

#include <utility>

#include "halo/api/snapshot/snapshot_document.h"
#include "halo/describe/write_json.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/public/document_state.h"
#include "halo/view/model/shown_assignment.h"

namespace halo::v0 {
namespace {

SnapshotResult RefusedSnapshot(const halo::Diagnostic& why, const Document& document) {
  SnapshotResult result;
  result.diagnostics = document.diagnostics();
  result.diagnostics.push_back(PublicDiagnostic(why, document.path()));
  return result;
}

}  // namespace

std::string SnapshotResult::ToJson() const {
  if (!succeeded) return {};
  return describe::DocumentJson(static_cast<const SnapshotFigures&>(*this)) + "\n";
}

SnapshotResult Snapshot(const Document& document, const SnapshotRequest& request,
                        std::span<const Document> related) {
  const std::shared_ptr<const halo::Document>& file = OpenedFile(document);
  if (file->modules.empty() || file->errors() != 0) {
    return RefusedSnapshot(MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                                document.path() + " cannot be read as a program"),
                           document);
  }
  const halo::Result<halo::SnapshotRequest> internal = RequestOf(request);
  if (!internal.ok()) return RefusedSnapshot(internal.error(), document);
  std::vector<std::shared_ptr<const halo::Document>> files = {file};
  for (const Document& each : related) files.push_back(OpenedFile(each));
  return SnapshotDocument(TakeSnapshot(
      view::InputsOf(files, &file->modules.front().module, file->path), internal->device));
}

}  // namespace halo::v0
