// `halo diff` through the public interface.
#include "haloscope/diff.h"

#include "halo/api/diff/diff_document.h"
#include "halo/describe/write_json.h"
#include "halo/public/document_state.h"

namespace halo::v0 {

std::string DiffResult::ToJson(size_t top) const { return describe::DocumentJson(*this, top); }

DiffResult Diff(const Document& before, const Document& after, const DiffRequest& request) {
  const std::shared_ptr<const halo::Document>& a = OpenedFile(before);
  const std::shared_ptr<const halo::Document>& b = OpenedFile(after);
  ProgramDiff diff;
  if (const halo::Result<std::string> device = DeviceOf(request); device.ok()) {
    diff = DiffDocuments(*a, *b, *device);
  } else {
    diff.refused = device.error().message;
  }
  return DiffDocument(*a, *b, diff);
}

}  // namespace halo::v0
