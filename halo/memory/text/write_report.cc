// Columns are as wide as XLA makes them and grow if the contents do not fit.
#include <array>
#include <charconv>
#include <string>

#include "halo/base/strings/human_size.h"
#include "halo/memory/text/allocation_traits.h"
#include "halo/memory/text/memory_report.h"
#include "halo/memory/text/report_rows.h"

namespace halo {
namespace {

void Right(std::string_view text, size_t width, TextBuffer& out) {
  for (size_t i = text.size(); i < width; ++i) out << ' ';
  out << text;
}

void Percent(int64_t percent, TextBuffer& out) {
  const std::string text = percent == ReportRow::kNotANumber        ? "nan"
                           : percent == ReportRow::kMinusNotANumber ? "-nan"
                                                                    : std::to_string(percent);
  out << '(';
  Right(text, 3, out);
  out << "%)";
}

void Header(const MemoryReport& report, AllocationId id, TextBuffer& out) {
  const Allocation& allocation = report.parts.allocation(id);
  out << "allocation " << report.numbers[id.index()] << ": size " << HumanBytes(allocation.size);
  WriteAllocationTraits(report.parts, allocation, report.parts.style, out);
  out << '\n';
}

void WriteTable(const MemoryReport& report, const ReportTable& table, TextBuffer& out) {
  const std::string_view prefix = ReportPrefix(report.form);
  out << prefix << kReportColumns << '\n' << prefix << kReportRule << '\n';
  for (const ReportRow& row : table.rows) {
    out << prefix;
    WriteReportRow(report.parts, row, out);
    out << '\n';
  }
  if (table.rest.count >= 0) {
    out << prefix;
    WriteReportRest(table.rest, "values", out);
    out << '\n';
  }
  out << '\n';
}

void WriteAllocationsForm(const MemoryReport& report, TextBuffer& out) {
  out << "Total bytes used: " << report.total_bytes << " (" << HumanBytes(report.total_bytes)
      << ")\n\nAllocations sorted by size:\n\n"
      << kSummaryColumns << '\n'
      << kSummaryRule << '\n';
  for (const ReportSummary& summary : report.summaries) {
    WriteReportSummary(summary, out);
    Header(report, summary.allocation, out);
  }
  if (report.rest.count >= 0) {
    WriteReportRest(report.rest, "allocations", out);
    out << '\n';
  }
  out << "\n\nAllocations sorted by size with their values:\n";
  for (const ReportSpace& space : report.spaces) {
    for (const ReportTable& table : space.tables) {
      Header(report, table.allocation, out);
      if (!table.has_rows) continue;
      out << '\n';
      WriteTable(report, table, out);
    }
  }
}

}  // namespace

void WriteReportSummary(const ReportSummary& summary, TextBuffer& out) {
  Right(HumanBytes(summary.cumulative), 10, out);
  Percent(summary.percent, out);
  out << "; ";
  Right(HumanBytes(summary.remaining), 10, out);
  out << "; ";
}

void WriteReportRow(const Assignment& texts, const ReportRow& row, TextBuffer& out) {
  Right(HumanBytes(row.cumulative), 9, out);
  Percent(row.percent, out);
  out << "; ";
  Right(HumanBytes(row.size), 10, out);
  out << "; ";
  Right(std::to_string(row.offset), 12, out);
  out << "; ";
  Right(std::to_string(row.values), 16, out);
  out << "; ";
  for (size_t i = 0; i < row.shapes.size(); ++i) {
    if (i != 0) out << ", ";
    if (row.shapes[i].count != 1) out << row.shapes[i].count << kTimes;
    out << texts.text(row.shapes[i].shape);
  }
}

void WriteReportRest(const ReportRest& rest, std::string_view what, TextBuffer& out) {
  out << "The rest " << rest.count << ' ' << what << " are less than " << rest.percent
      << "% of the total size and not shown.";
}

void WriteMemoryReport(const MemoryReport& report, TextBuffer& out) {
  if (report.form == ReportForm::kAllocations) {
    WriteAllocationsForm(report, out);
    return;
  }
  for (const ReportSpace& space : report.spaces) {
    out << "Memory Space: " << MemorySpaceName(space.color) << " (color=" << space.color
        << ")\nTotal bytes: " << space.total_bytes << " (" << HumanBytes(space.total_bytes)
        << ")\n";
    for (const ReportTable& table : space.tables) WriteTable(report, table, out);
    out << '\n';
  }
}

std::string MemorySpaceName(int32_t color) {
  constexpr std::array<std::string_view, 6> kNames = {"default", "vmem", "smem",
                                                      "hbm",     "host", "cmem"};
  if (color >= 0 && static_cast<size_t>(color) < kNames.size())
    return std::string(kNames[static_cast<size_t>(color)]);
  return "color_" + std::to_string(color);
}

}  // namespace halo
