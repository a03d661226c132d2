// The data of a report: which programs of a dump it shows, their files in the form that the
// viewer's page takes (viewer/embedding.md), and the page with the data embedded.
#ifndef HALO_API_REPORT_REPORT_H_
#define HALO_API_REPORT_REPORT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/dump/dump.h"
#include "halo/dump/select.h"

namespace halo {

struct ReportOptions {
  // Only these programs; default: that of Dump::given_file, else each module's main stage and its
  // input.
  DumpChoice choice;
  bool all_stages = false;  // every stage of every module
  bool redact = false;
  // The dump of an earlier program to compare with: the module of the same name, else its main one.
  const Dump* against = nullptr;
  std::vector<std::string> profiles;       // measured executions, shown beside what is predicted
  std::string view = "overview";           // the view shown first
  uint64_t max_bytes = uint64_t{6} << 20;  // of data; the first program is always included
};

struct ReportData {
  std::string manifest;             // JSON, safe to embed in a page
  std::vector<std::string> blocks;  // base64 of each file, compressed
  size_t programs = 0;
  size_t left_out = 0;
  Diagnostics diagnostics;  // about files that could not be read; an error means there is no report
};

ReportData MakeReport(const Dump& dump, const ReportOptions& options);

// The manifest of a page that fetches its files: file/N is the file files[N].
struct ServedPrograms {
  std::string manifest;
  // What to pass to OpenDumpFile.
  struct File {
    std::string path, folder;
    friend bool operator==(const File&, const File&) = default;
  };
  std::vector<File> files;
  struct Program {
    int32_t file = -1;  // index into `files`; -1 if there is only an assignment
    std::vector<int32_t> assignment;
  };
  std::vector<Program> programs;
};
// `against` may be null: the dump of an earlier program to compare with, as in ReportOptions.
ServedPrograms MakeServed(const Dump& dump, const DumpChoice& choice, std::string_view view,
                          const Dump* against = nullptr);

// True if a page has a slot for our data.
bool HasDataSlot(std::string_view page);

// Passes on the page with the data inserted, piece by piece. False if the page has no slot for
// data, or if the sink rejected a piece.
bool WritePage(std::string_view page, std::string_view manifest,
               const std::vector<std::string>& blocks,
               const std::function<bool(std::string_view)>& take);

}  // namespace halo

#endif  // HALO_API_REPORT_REPORT_H_
