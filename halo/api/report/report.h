// The data of a report: which programs of a dump it shows, their files in the form in which the
// viewer's page takes them (viewer/embedding.md), and the page with them inside.
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
  DumpChoice choice;  // these programs only; by default every module's main stage and its input
  int32_t file = -1;  // of dump.files: the program it belongs to and no other
  bool all_stages = false;  // every stage of every module
  bool redact = false;
  std::string view = "overview";           // shown first
  uint64_t max_bytes = uint64_t{6} << 20;  // of data in the page; the first program is there anyway
};

struct ReportData {
  std::string manifest;             // JSON, safe within a page
  std::vector<std::string> blocks;  // base64 of each file, compressed
  size_t programs = 0;
  size_t left_out = 0;
  Diagnostics diagnostics;  // of files that could not be read; an error means there is no report
};

ReportData MakeReport(const Dump& dump, const ReportOptions& options);

// The manifest of a page that fetches its files: file/N is dump.files[files[N]].
struct ServedPrograms {
  std::string manifest;
  std::vector<int32_t> files;
  struct Program {
    int32_t module = -1;  // of dump.modules
    int32_t file = -1;    // of `files`; -1 if only an assignment is there
    std::vector<int32_t> assignment;
  };
  std::vector<Program> programs;
};
ServedPrograms MakeServed(const Dump& dump, const DumpChoice& choice, std::string_view view);

// Whether a page is one of ours.
bool HasPlaceForData(std::string_view page);

// Hands on the page with the data in its place, piece by piece. False if the page has no place for
// data, or what takes the pieces refused one.
bool WritePage(std::string_view page, std::string_view manifest,
               const std::vector<std::string>& blocks,
               const std::function<bool(std::string_view)>& take);

}  // namespace halo

#endif  // HALO_API_REPORT_REPORT_H_
