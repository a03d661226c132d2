// Joins what is known about each file into one document.
#include "halo/api/info/info_document.h"

#include <utility>

#include "halo/api/describe/bad_request.h"
#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"

namespace halo {

v0::InfoResult InfoDocument(std::span<const FileInfo> files) {
  v0::InfoResult document;
  for (const FileInfo& file : files) {
    document.inputs.push_back(
        InputOf(file.path, file.kind, file.compression, file.stored_bytes, file.bytes));
    document.modules.insert(document.modules.end(), file.modules.begin(), file.modules.end());
    if (file.assignment) document.assignments.push_back(*file.assignment);
    for (const OtherSection& other : file.others) {
      document.other_sections.push_back({file.path, other.name, std::string(TextOf(other.kind))});
    }
    for (const Diagnostic& each : file.diagnostics) {
      document.diagnostics.push_back(PublicDiagnostic(each, file.path));
    }
  }
  return document;
}

std::string InfoJson(std::span<const FileInfo> files) {
  return describe::DocumentJson(InfoDocument(files));
}

Result<InfoOptions> RequestOf(const v0::InfoRequest& asked) {
  if (std::optional<Diagnostic> problem = ProblemOf(asked)) return *std::move(problem);
  return InfoOptions{.largest = static_cast<size_t>(asked.largest)};
}

}  // namespace halo
