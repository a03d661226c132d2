// What a viewer's page is told about its data, before it is converted to JSON.
#ifndef HALO_API_REPORT_REPORT_MANIFEST_H_
#define HALO_API_REPORT_REPORT_MANIFEST_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/dump/dump.h"

namespace halo {

struct ManifestFile {
  std::string name;
  FileRole file_role = FileRole::kUnknown;
  uint64_t bytes = 0;
};

struct ManifestProgram {
  std::string module;
  int64_t number = -1;
  std::string rank;
  std::string backend;
  std::string architecture;
  StageName stage;
  int32_t file = -1;  // index into Manifest::files
  std::vector<int32_t> assignment;
  std::vector<int32_t> with;
};

struct ManifestMissing {
  std::string module;
  std::string rank;
  MissingPiece piece;
};

struct Manifest {
  bool served = false;
  bool redacted = false;
  std::string title;
  std::string view;
  size_t first = 0;               // index into programs
  std::optional<size_t> against;  // the program that the first one is compared with
  std::vector<ManifestProgram> programs;
  std::vector<ManifestFile> files;
  std::vector<ManifestMissing> missing;
  size_t left_out = 0;
};

// Every '<' is escaped, so that no name can close the element that contains it.
std::string ManifestJson(const Manifest& manifest);

}  // namespace halo

#endif  // HALO_API_REPORT_REPORT_MANIFEST_H_
