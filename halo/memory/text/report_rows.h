// The lines of a memory usage report, shared by its reader, which compares them, and its writer.
#ifndef HALO_MEMORY_TEXT_REPORT_ROWS_H_
#define HALO_MEMORY_TEXT_REPORT_ROWS_H_

#include <string_view>

#include "halo/memory/text/memory_report.h"

namespace halo {

inline constexpr std::string_view kReportColumns =
    "cumulative_size;       size;       offset; used_by_n_values; shapes_list";
inline constexpr std::string_view kReportRule =
    "------------------------------------------------------------";
inline constexpr std::string_view kSummaryColumns =
    "cumulative_size; total_size - cumulative_size; allocation";
inline constexpr std::string_view kSummaryRule =
    "------------------------------------------------------------------------------";
inline constexpr std::string_view kTimes = "\xC3\x97";  // the multiplication sign in UTF-8

// The prefix of each line of a table.
constexpr std::string_view ReportPrefix(ReportForm form) {
  return form == ReportForm::kAllocations ? "\t" : "  ";
}

void WriteReportRow(const Assignment& texts, const ReportRow& row, TextBuffer& out);
void WriteReportRest(const ReportRest& rest, std::string_view what, TextBuffer& out);
// Writes the line up to the allocation.
void WriteReportSummary(const ReportSummary& summary, TextBuffer& out);

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_REPORT_ROWS_H_
