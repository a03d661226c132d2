// Quoted cells are copied only if they contain a quote; all others are views of the file.
#include "halo/profile/csv_profile.h"

#include <algorithm>
#include <deque>

#include "halo/base/json/json_reader.h"
#include "halo/profile/nsight_table.h"
#include "halo/profile/profile_diagnostics.h"

namespace halo {
namespace {

constexpr size_t kMostColumns = 256;
constexpr size_t kMostHeader = size_t{64} << 10;

// Iterates over the rows of a CSV file.
class CsvRows {
 public:
  explicit CsvRows(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  // Cells beyond kMostColumns are dropped.
  bool Next(std::vector<std::string_view>& cells) {
    cells.clear();
    if (at_ >= text_.size()) return false;
    while (true) {
      const std::string_view cell = TakeCell();
      if (cells.size() < kMostColumns) cells.push_back(cell);
      if (at_ >= text_.size()) return true;
      const char c = text_[at_++];
      if (c == ',') continue;
      if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
      return true;
    }
  }

  [[nodiscard]] size_t position() const { return at_; }
  // True if a quoted cell was never closed.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  // Ends at a comma, a line break or the end.
  std::string_view TakeCell() {
    if (at_ >= text_.size() || text_[at_] != '"') {
      const size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      const std::string_view cell = text_.substr(at_, end - at_);
      at_ = end;
      return cell;
    }
    const size_t begin = ++at_;
    bool has_quotes = false;
    while (true) {
      const size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) {
        is_cut_ = true;
        at_ = text_.size();
        return text_.substr(begin);
      }
      at_ = quote + 1;
      if (at_ >= text_.size() || text_[at_] != '"') break;
      has_quotes = true;
      ++at_;
    }
    std::string_view cell = text_.substr(begin, at_ - 1 - begin);
    if (has_quotes) {
      std::string plain;
      for (size_t i = 0; i < cell.size(); ++i) {
        plain += cell[i];
        if (cell[i] == '"') ++i;
      }
      cell = copies_.emplace_back(std::move(plain));
    }
    // Anything between the closing quote and the comma is dropped.
    at_ = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    return cell;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool is_cut_ = false;
  std::deque<std::string> copies_;
};

// Positions of the columns by name, whatever unit the name has in parentheses.
class Columns {
 public:
  explicit Columns(const std::vector<std::string_view>& header) : names_(header) {
    for (std::string_view& name : names_) {
      const size_t unit = name.find(" (");
      if (unit != std::string_view::npos) name = name.substr(0, unit);
    }
  }

  [[nodiscard]] size_t Find(std::string_view name) const {
    return static_cast<size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }
  [[nodiscard]] bool Has(std::string_view name) const { return Find(name) < names_.size(); }

 private:
  std::vector<std::string_view> names_;
};

std::string_view CellAt(const std::vector<std::string_view>& cells, size_t column) {
  return column < cells.size() ? cells[column] : std::string_view();
}

// Pandas writes integers of columns with holes as floating point numbers.
int64_t IntegerAt(const std::vector<std::string_view>& cells, size_t column, int64_t fallback = 0) {
  const std::string_view text = CellAt(cells, column);
  if (const std::optional<int64_t> value = ParseInt(text)) return *value;
  const std::optional<double> value = ParseDouble(text);
  return value && *value > -9e18 && *value < 9e18 ? static_cast<int64_t>(*value) : fallback;
}

bool IsNsight(const Columns& columns) {
  return columns.Has("Name") && columns.Has("Projected Duration");
}
bool IsHostRanges(const Columns& columns) {
  return columns.Has("Name") && columns.Has("Duration") && columns.Has("RangeStack");
}
bool IsOpTable(const Columns& columns) {
  return columns.Has("hlo_op") && (columns.Has("duration_ns") || columns.Has("duration_us"));
}

Profile ReadNsightRows(const Columns& columns, CsvRows& rows) {
  const size_t name = columns.Find("Name"), start = columns.Find("Projected Start"),
               duration = columns.Find("Projected Duration"), process = columns.Find("PID"),
               thread = columns.Find("TID"), kernels = columns.Find("NumGPUOps"),
               range = columns.Find("RangeId"), stack = columns.Find("RangeStack");
  NsightTable table;
  std::vector<std::string_view> cells;
  while (rows.Next(cells)) {
    table.Add({.name = CellAt(cells, name),
               .start = IntegerAt(cells, start),
               .duration = IntegerAt(cells, duration),
               .process = IntegerAt(cells, process),
               .thread = IntegerAt(cells, thread),
               .kernels = IntegerAt(cells, kernels, 1),
               .range = IntegerAt(cells, range),
               .range_stack = CellAt(cells, stack)});
  }
  return table.Take();
}

Profile ReadOpRows(const Columns& columns, CsvRows& rows) {
  const bool in_nanoseconds = columns.Has("duration_ns");
  const double unit = in_nanoseconds ? 1e-9 : 1e-6;
  const size_t op = columns.Find("hlo_op"),
               duration = columns.Find(in_nanoseconds ? "duration_ns" : "duration_us"),
               start = columns.Find(in_nanoseconds ? "start_ns" : "start_us"),
               device = columns.Find("device"), module = columns.Find("module"),
               program = columns.Find("program_id"), step = columns.Find("step");
  ProfileBuilder builder;
  builder.profile.kind = ProfileKind::kOpTable;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> runs;
  std::vector<std::string_view> cells;
  while (rows.Next(cells)) {
    const std::string_view name = CellAt(cells, op);
    if (name.empty()) {
      if (cells.size() > 1) ++builder.profile.unnamed;
      continue;
    }
    ProfileEvent event;
    event.op = builder.Op(name);
    event.device = builder.Device(CellAt(cells, device));
    event.start = PicosecondsFrom(ParseDouble(CellAt(cells, start)).value_or(0) * unit);
    event.duration = std::max<int64_t>(
        0, PicosecondsFrom(ParseDouble(CellAt(cells, duration)).value_or(0) * unit));
    const std::string_view owner = CellAt(cells, module);
    if (!owner.empty()) {
      const std::optional<int64_t> id = ParseInt(CellAt(cells, program));
      event.program =
          builder.Program(owner, id ? std::optional(static_cast<uint64_t>(*id)) : std::nullopt);
    }
    if (const std::optional<int64_t> number = ParseInt(CellAt(cells, step))) {
      // Rows of one step belong to one execution, whose extent its ops tell.
      if (event.program == kNoIndex) event.program = builder.Program("", std::nullopt);
      const auto [found, is_new] = runs.try_emplace(
          {event.device, *number}, static_cast<uint32_t>(builder.profile.runs.size()));
      if (is_new) builder.profile.runs.push_back({event.program, event.device, event.start, 0});
      ProfileRun& run = builder.profile.runs[found->second];
      const int64_t end = std::max(run.start + run.duration, event.start + event.duration);
      run.start = std::min(run.start, event.start);
      run.duration = end - run.start;
      event.run = found->second;
    }
    builder.profile.events.push_back(event);
  }
  return builder.Take();
}

}  // namespace

bool LooksLikeCsvProfile(std::string_view bytes) {
  CsvRows rows(bytes.substr(0, kMostHeader));
  std::vector<std::string_view> header;
  if (!rows.Next(header)) return false;
  const Columns columns(header);
  return IsNsight(columns) || IsHostRanges(columns) || IsOpTable(columns);
}

Profile ReadCsvProfile(std::string_view bytes) {
  CsvRows rows(bytes);
  std::vector<std::string_view> header;
  rows.Next(header);
  const Columns columns(header);
  Profile profile;
  if (IsNsight(columns)) {
    profile = ReadNsightRows(columns, rows);
  } else if (IsOpTable(columns)) {
    profile = ReadOpRows(columns, rows);
  } else {
    profile.diagnostics.Add(MakeDiagnostic(
        diag::kNotAProfile, bytes, 0,
        IsHostRanges(columns)
            ? "this table has times of the host, not of the GPU; export nvtx_gpu_proj_trace"
            : "this table has no column of ops and durations"));
    return profile;
  }
  if (rows.is_cut()) {
    profile.diagnostics.Add(MakeDiagnostic(diag::kDamagedProfile, bytes, bytes.size(),
                                           "a quoted cell is never closed"));
  }
  return profile;
}

}  // namespace halo
