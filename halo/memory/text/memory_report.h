// XLA's memory usage report as data: each allocation's bytes by offset, in the table of old dumps
// or grouped by memory space. Reports print rounded sizes, so a report that was read knows no more
// than that; one made from an assignment knows exact bytes.
#ifndef HALO_MEMORY_TEXT_MEMORY_REPORT_H_
#define HALO_MEMORY_TEXT_MEMORY_REPORT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/base/strings/text_buffer.h"
#include "halo/memory/model/assignment.h"

namespace halo {

enum class ReportForm : uint8_t {
  kAllocations,   // since 2024-10: one list, largest first
  kMemorySpaces,  // since 2026-03: a list for each color
};

struct ReportShape {
  int64_t count = 0;
  TextId shape;
};

// The values at one offset.
struct ReportRow {
  static constexpr int64_t kNotANumber = -1;  // a share of nothing, printed as nan
  static constexpr int64_t kMinusNotANumber = -2;

  int64_t cumulative = 0;
  int64_t percent = 0;
  int64_t size = 0;
  int64_t offset = 0;
  int64_t values = 0;
  std::vector<ReportShape> shapes;
};

// What is omitted from a list because it is small.
struct ReportRest {
  int64_t count = -1;  // -1: nothing
  int64_t percent = 0;
};

struct ReportTable {
  AllocationId allocation;  // a row of MemoryReport::parts; invalid if not printed
  bool has_rows = false;
  std::vector<ReportRow> rows;
  ReportRest rest;
};

// A line of the old form's first table.
struct ReportSummary {
  int64_t cumulative = 0;
  int64_t percent = 0;
  int64_t remaining = 0;
  AllocationId allocation;
};

struct ReportSpace {
  int32_t color = 0;
  int64_t total_bytes = 0;
  std::vector<ReportTable> tables;
};

struct MemoryReport {
  ReportForm form = ReportForm::kMemorySpaces;
  int64_t total_bytes = 0;               // old form only
  std::vector<ReportSummary> summaries;  // old form only
  ReportRest rest;                       // of the summaries
  // The old form has one, which counts as color 0.
  std::vector<ReportSpace> spaces;
  // Texts and, in the old form, the allocations with their numbers, in the order of the report.
  Assignment parts;
  std::vector<int64_t> numbers;
};

MemoryReport ReadMemoryReport(std::string_view text, Diagnostics& diagnostics);
void WriteMemoryReport(const MemoryReport& report, TextBuffer& out);
MemoryReport MakeMemoryReport(const Assignment& assignment, ReportForm form);

// "vmem", as XLA names the TPU's colors on every backend.
std::string MemorySpaceName(int32_t color);

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_MEMORY_REPORT_H_
