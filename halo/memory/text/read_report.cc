// Reads a memory usage report of either form. Each table line is read, printed again and compared,
// which detects a number in the wrong column or a size that XLA would round differently.
#include <limits>
#include <string>

#include "halo/base/strings/human_size.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/memory/text/allocation_traits.h"
#include "halo/memory/text/lines.h"
#include "halo/memory/text/memory_report.h"
#include "halo/memory/text/report_rows.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

void SkipBlanks(Fields& fields) {
  while (fields.Take(" ")) {
  }
}

// "1.02GiB"; the result is the nearest number of bytes that prints like this.
bool TakeHumanBytes(Fields& fields, int64_t& bytes) {
  int64_t whole = 0;
  if (!fields.TakeCount(whole)) return false;
  int64_t tenths = 0;
  int64_t parts = 1;
  if (fields.Take(".")) {
    std::string_view digits;
    if (!fields.TakeWord("KMGTPE", digits) || digits.size() > 2) return false;
    for (const char digit : digits) {
      if (digit < '0' || digit > '9') return false;
      tenths = tenths * 10 + (digit - '0');
      parts *= 10;
    }
  }
  bytes = whole;
  if (fields.Take("B")) return true;
  constexpr std::string_view kUnits = "KMGTPE";
  for (size_t i = 0; i < kUnits.size(); ++i) {
    if (!fields.Take(kUnits.substr(i, 1))) continue;
    const int64_t unit = int64_t{1} << (10 * (i + 1));
    if (whole >= std::numeric_limits<int64_t>::max() / unit) return false;
    // Multiplying a fraction of a unit beyond 2^53 first would overflow.
    bytes = whole * unit + unit / parts * tenths + unit % parts * tenths / parts;
    return fields.Take("iB");
  }
  return false;
}

bool TakePercent(Fields& fields, int64_t& percent) {
  if (!fields.Take("(")) return false;
  SkipBlanks(fields);
  if (fields.Take("nan")) {
    percent = ReportRow::kNotANumber;
  } else if (fields.Take("-nan")) {
    percent = ReportRow::kMinusNotANumber;
  } else if (!fields.TakeCount(percent)) {
    return false;
  }
  return fields.Take("%)");
}

class ReportReader {
 public:
  ReportReader(std::string_view text, Diagnostics& diagnostics) : lines_(text, diagnostics) {}

  MemoryReport Read() {
    Next();
    if (lines_.line().starts_with("Total bytes used: ")) {
      report_.form = ReportForm::kAllocations;
      ReadAllocationsForm();
    } else {
      do {
        const uint32_t from = lines_.number();
        if (!ReadSpace()) SkipToSpace(from);
      } while (more_);
    }
    return std::move(report_);
  }

 private:
  void Next() {
    more_ = lines_.Next();
    if (more_ && !lines_.ended()) {
      lines_.Report(diag::kUnexpectedEnd, lines_.line().size(), "the last line is truncated");
      more_ = false;
    }
  }
  void Report(size_t column, std::string message) {
    lines_.Report(more_ ? diag::kBadAssignmentEntry : diag::kUnexpectedEnd, more_ ? column : 0,
                  std::move(message));
  }
  bool Bad(const Fields& fields, std::string message) {
    Report(fields.at(), std::move(message));
    return false;
  }
  // Recovers from an error that makes the rest of a memory space's tables meaningless. `from` is
  // the line where the memory space began.
  void SkipToSpace(uint32_t from) {
    if (lines_.number() == from) Next();
    while (more_ && !lines_.line().starts_with("Memory Space: ")) Next();
  }
  bool Is(std::string_view line) const { return more_ && lines_.line() == line; }
  // If the current line is another one, reports an error, leaves the line unread and returns false.
  bool Expect(std::string_view line) {
    if (!Is(line)) {
      Report(0, line.empty() ? "expected a blank line" : "expected: " + std::string(line));
      return false;
    }
    Next();
    return true;
  }

  bool TakeTotal(std::string_view label, int64_t& total) {
    Fields fields(lines_.line());
    if (!more_ || !fields.Take(label) || !fields.TakeCount(total))
      return Bad(fields, "expected: " + std::string(label) + "and a number");
    const std::string human = " (" + HumanBytes(total) + ")";
    if (fields.rest() != human) return Bad(fields, "expected" + human);
    Next();
    return true;
  }

  bool ReadSpace() {
    Fields fields(lines_.line());
    std::string_view name;
    ReportSpace space;
    if (!fields.Take("Memory Space: ") || !fields.TakeUntil(" (color=", name) ||
        !fields.TakeCount(space.color) || !fields.Take(")") || !fields.at_end()) {
      return Bad(fields, "expected a memory space, as in: Memory Space: default (color=0)");
    }
    if (name != MemorySpaceName(space.color))
      return Bad(fields, "this color is named " + MemorySpaceName(space.color));
    Next();
    if (!TakeTotal("Total bytes: ", space.total_bytes)) return false;
    bool ok = true;
    while (ok && more_ && !Is("")) ok = ReadTable(space.tables.emplace_back());
    report_.spaces.push_back(std::move(space));
    return ok && Expect("");
  }

  bool ReadTable(ReportTable& table) {
    const std::string_view prefix = ReportPrefix(report_.form);
    table.has_rows = true;
    if (!Expect(std::string(prefix) + std::string(kReportColumns)) ||
        !Expect(std::string(prefix) + std::string(kReportRule))) {
      return false;
    }
    for (; more_ && !lines_.line().empty(); Next()) {
      Fields fields(lines_.line());
      if (!fields.Take(prefix)) return Bad(fields, "expected a row of the table");
      if (fields.rest().starts_with("The rest ")) {
        if (!ReadRest(fields, "values", table.rest)) return false;
        Next();
        break;
      }
      ReadRow(fields, table);
    }
    return Expect("");
  }

  // A bad row is skipped.
  bool ReadRow(Fields& fields, ReportTable& table) {
    const std::string_view text = fields.rest();
    ReportRow row;
    SkipBlanks(fields);
    if (!TakeHumanBytes(fields, row.cumulative)) return Bad(fields, "expected a size");
    if (!TakePercent(fields, row.percent)) return Bad(fields, "expected a percentage");
    if (!fields.Take(";")) return Bad(fields, "expected ; at the end of the column");
    SkipBlanks(fields);
    if (!TakeHumanBytes(fields, row.size)) return Bad(fields, "expected a size");
    for (int64_t* number : {&row.offset, &row.values}) {
      if (!fields.Take(";")) return Bad(fields, "expected ; at the end of the column");
      SkipBlanks(fields);
      if (!fields.TakeCount(*number)) return Bad(fields, "expected a number");
    }
    if (!fields.Take("; ")) return Bad(fields, "expected ; at the end of the column");
    ReadShapes(fields.TakeRest(), row);
    TextBuffer again;
    WriteReportRow(report_.parts, row, again);
    if (again.view() != text)
      return Bad(Fields(lines_.line()), "XLA would print this as: " + again.str());
    table.rows.push_back(std::move(row));
    return true;
  }

  // 3×f32[8], (s32[], f32[8])
  void ReadShapes(std::string_view list, ReportRow& row) {
    int64_t depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= list.size(); ++i) {
      if (i < list.size() && list[i] == '(') ++depth;
      if (i < list.size() && list[i] == ')') --depth;
      const bool ends = i == list.size() || (depth == 0 && list.substr(i).starts_with(", "));
      if (!ends) continue;
      Fields fields(list.substr(begin, i - begin));
      ReportShape shape{1, {}};
      int64_t count = 0;
      if (fields.TakeCount(count) && fields.Take(kTimes)) {
        shape.count = count;
      } else {
        fields = Fields(list.substr(begin, i - begin));
      }
      shape.shape = report_.parts.Text(fields.rest());
      row.shapes.push_back(shape);
      begin = i + 2;
    }
  }

  bool ReadRest(Fields& fields, std::string_view what, ReportRest& rest) {
    if (!fields.Take("The rest ") || !fields.TakeCount(rest.count) || !fields.Take(" ") ||
        !fields.Take(what) || !fields.Take(" are less than ") || !fields.TakeCount(rest.percent) ||
        !fields.Take("% of the total size and not shown.") || !fields.at_end()) {
      return Bad(fields, "expected the number of omitted values and their share");
    }
    return true;
  }

  bool ReadHeader(Fields& fields, AllocationId& id) {
    Allocation allocation;
    int64_t number = 0;
    if (!fields.Take("allocation ") || !fields.TakeCount(number) || !fields.Take(": size "))
      return Bad(fields, "expected an allocation");
    const std::string_view size = fields.rest();
    if (!TakeHumanBytes(fields, allocation.size)) return Bad(fields, "expected a size");
    if (size.substr(0, size.size() - fields.rest().size()) != HumanBytes(allocation.size))
      return Bad(fields, "XLA would print this size as " + HumanBytes(allocation.size));
    const std::string_view wrong = TakeAllocationTraits(fields, report_.parts, allocation);
    if (!wrong.empty()) return Bad(fields, std::string(wrong));
    const bool says_page = allocation.page >= 0;
    const bool lacks_shape = allocation.parameter >= 0 && !allocation.parameter_shape.valid();
    if (report_.parts.allocations.empty()) report_.parts.style.pages = says_page;
    if (says_page != report_.parts.style.pages || lacks_shape)
      return Bad(fields, "this allocation does not have the format of a report");
    id = AllocationId(report_.parts.allocations.size());
    report_.parts.allocations.push_back(allocation);
    report_.numbers.push_back(number);
    return true;
  }

  bool ReadSummary() {
    Fields fields(lines_.line());
    ReportSummary summary;
    SkipBlanks(fields);
    if (!TakeHumanBytes(fields, summary.cumulative)) return Bad(fields, "expected a size");
    if (!TakePercent(fields, summary.percent)) return Bad(fields, "expected a percentage");
    if (!fields.Take(";")) return Bad(fields, "expected ; at the end of the column");
    SkipBlanks(fields);
    if (!TakeHumanBytes(fields, summary.remaining) || !fields.Take("; "))
      return Bad(fields, "expected a size");
    TextBuffer again;
    WriteReportSummary(summary, again);
    if (again.view() != lines_.line().substr(0, fields.at()))
      return Bad(Fields(lines_.line()), "XLA would print this as: " + again.str());
    if (!ReadHeader(fields, summary.allocation)) return false;
    report_.summaries.push_back(summary);
    return true;
  }

  bool ReadAllocationsForm() {
    if (!TakeTotal("Total bytes used: ", report_.total_bytes) || !Expect("") ||
        !Expect("Allocations sorted by size:") || !Expect("") || !Expect(kSummaryColumns) ||
        !Expect(kSummaryRule)) {
      return false;
    }
    for (; more_ && !Is(""); Next()) {
      Fields fields(lines_.line());
      if (fields.rest().starts_with("The rest ")) {
        if (!ReadRest(fields, "allocations", report_.rest)) return false;
        Next();
        break;
      }
      ReadSummary();
    }
    if (!Expect("") || !Expect("") || !Expect("Allocations sorted by size with their values:"))
      return false;
    ReportSpace& space = report_.spaces.emplace_back();
    while (more_) {
      Fields fields(lines_.line());
      ReportTable table;
      if (!ReadHeader(fields, table.allocation)) return false;
      Next();
      if (Is("")) {
        Next();
        const bool ok = ReadTable(table);
        space.tables.push_back(std::move(table));
        if (!ok) return false;
      } else {
        space.tables.push_back(std::move(table));
      }
    }
    return true;
  }

  Lines lines_;
  MemoryReport report_;
  bool more_ = true;
};

}  // namespace

MemoryReport ReadMemoryReport(std::string_view text, Diagnostics& diagnostics) {
  return ReportReader(text, diagnostics).Read();
}

}  // namespace halo
