// The result of `halo scan` as users see it.
#ifndef HALO_API_SCAN_SCAN_DOCUMENT_H_
#define HALO_API_SCAN_SCAN_DOCUMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/api/scan/scan_dumps.h"
#include "haloscope/parts.h"

namespace halo::documents {

struct RefusedFile {
  std::string path, why;
};

template <class V>
void Fields(V& v, RefusedFile& r) {
  v("path", r.path, "as it was found");
  v("why", r.why, "why it cannot be read");
}

struct ScanResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.scan.v1";

  std::string to;
  int64_t files = 0, programs = 0, duplicates = 0, refused = 0, skipped = 0, skipped_refused = 0;
  int64_t elsewhere = 0, parts = 0, bytes = 0;
  std::vector<std::pair<std::string, int64_t>> rows;
  std::vector<RefusedFile> first_refused;
};

template <class V>
void Fields(V& v, ScanResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("to", r.to, "the folder of the dataset");
  v("files", r.files, "added by this scan, readable or not");
  v("programs", r.programs, "of these, programs that the dataset did not have");
  v("duplicates", r.duplicates, "of these, programs that it had");
  v("refused", r.refused, "of these, files that cannot be read");
  v("skipped", r.skipped, "files that were in the dataset, unchanged");
  v("skipped_refused", r.skipped_refused, "of these, files that could not be read");
  v("elsewhere", r.elsewhere, "files that belong to other shards");
  v("parts", r.parts, "written");
  v("bytes", r.bytes, "of the Parquet files written", v0::Unit::kBytes);
  v("rows", r.rows, "written, by table");
  v("first_refused", r.first_refused, "at most 20");
}

}  // namespace halo::documents

namespace halo {

documents::ScanResult ScanDocument(const ScanResult& result, std::string_view to);
std::string ScanJson(const ScanResult& result, std::string_view to);

}  // namespace halo

#endif  // HALO_API_SCAN_SCAN_DOCUMENT_H_
