// The dataset is the only input that is named: the files are in it.
#include "halo/api/scan/scan_document.h"

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"

namespace halo {

documents::ScanResult ScanDocument(const ScanResult& result, std::string_view to) {
  documents::ScanResult document;
  document.inputs = {InputOf(to)};
  AppendDiagnostics(result.diagnostics, to, document.diagnostics);
  document.to = to;
  document.files = result.files;
  document.programs = result.programs;
  document.duplicates = result.duplicates;
  document.refused = result.refused;
  document.skipped = result.skipped;
  document.skipped_refused = result.skipped_refused;
  document.elsewhere = result.elsewhere;
  document.parts = result.parts;
  document.bytes = result.bytes;
  for (size_t i = 0; i < kScanTables; ++i) {
    document.rows.emplace_back(TextOf(static_cast<ScanTable>(i)), result.rows[i]);
  }
  for (const auto& [path, why] : result.first_refused) {
    document.first_refused.push_back({.path = path, .why = why});
  }
  return document;
}

std::string ScanJson(const ScanResult& result, std::string_view to) {
  return describe::DocumentJson(ScanDocument(result, to));
}

}  // namespace halo
