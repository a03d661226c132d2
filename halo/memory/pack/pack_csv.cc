// Reads and writes packing problems as CSV. A bad row is reported and skipped, and reading
// continues.
#include "halo/memory/pack/pack_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

enum Column : uint8_t { kId, kLower, kUpper, kSize, kAlignment, kGaps, kOffset, kColumnCount };

constexpr std::array<std::pair<std::string_view, Column>, 13> kNames = {{
    {"id", kId},
    {"buffer", kId},
    {"buffer_id", kId},
    {"lower", kLower},
    {"begin", kLower},
    {"start", kLower},
    {"upper", kUpper},
    {"end", kUpper},
    {"size", kSize},
    {"alignment", kAlignment},
    {"gaps", kGaps},
    {"offset", kOffset},
    {"", kColumnCount},
}};

std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 40;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

std::optional<int64_t> IntegerOf(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) { positions_.fill(-1); }

  PackCsv Read() && {
    size_t at = 0;
    while (at < text_.size()) {
      const size_t end = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.empty()) {
        Split(line);
        if (columns_ != 0) {
          ReadRow(at);
        } else if (!ReadHeader(at)) {
          return std::move(csv_);
        }
        if (csv_.diagnostics.errors() >= Diagnostics::kMaxKept) return std::move(csv_);
      }
      at = end + 1;
    }
    if (columns_ == 0) Complain(diag::kBadCsv, 0, "there is no header line");
    if (csv_.diagnostics.ok()) CheckWhole();
    return std::move(csv_);
  }

 private:
  void Complain(DiagCode code, size_t offset, std::string message) {
    csv_.diagnostics.Add(MakeDiagnostic(code, text_, offset, std::move(message)));
  }

  void Split(std::string_view line) {
    fields_.clear();
    for (size_t at = 0; at <= line.size();) {
      const size_t end = std::min(line.find(',', at), line.size());
      fields_.push_back(line.substr(at, end - at));
      at = end + 1;
    }
  }

  bool ReadHeader(size_t at) {
    for (size_t f = 0; f < fields_.size(); ++f) {
      for (const auto& [name, column] : kNames) {
        if (name.empty() || fields_[f] != name) continue;
        if (positions_[column] >= 0) {
          Complain(
              diag::kBadCsv, OffsetOf(fields_[f]),
              "this column has the same meaning as column " + Quoted(fields_[positions_[column]]));
          return false;
        }
        positions_[column] = static_cast<int>(f);
        if (name == "end") inclusive_ = 1;
      }
    }
    for (const auto& [name, column] : {kNames[0], kNames[3], kNames[6], kNames[8]}) {
      if (positions_[column] >= 0) continue;
      Complain(diag::kBadCsv, at, "there is no column " + Quoted(name));
      return false;
    }
    columns_ = fields_.size();
    return true;
  }

  void ReadRow(size_t at) {
    if (fields_.size() != columns_) {
      Complain(diag::kBadCsv, at,
               "the row has " + std::to_string(fields_.size()) + " fields, the header " +
                   std::to_string(columns_));
      return;
    }
    PackItem item;
    int64_t upper = 0;
    if (!Number(kLower, item.live.start) || !Number(kUpper, upper) || !Number(kSize, item.size) ||
        !Number(kAlignment, item.alignment) || !Number(kOffset, item.fixed_offset)) {
      return;
    }
    if (positions_[kAlignment] >= 0 && item.alignment == 0) item.alignment = -1;
    if (!Inclusive(upper, item.live.end)) {
      Complain(diag::kBadBuffer, at, "its times are too large");
      return;
    }
    const size_t gaps_before = csv_.problem.gaps.size();
    item.first_gap = static_cast<uint32_t>(gaps_before);
    if (!ReadGaps(item)) {
      csv_.problem.gaps.resize(gaps_before);
      return;
    }
    csv_.problem.items.push_back(item);
    csv_.ids.emplace_back(fields_[positions_[kId]]);
    rows_.push_back(at);
  }

  // An absent column leaves the value unchanged.
  bool Number(Column column, int64_t& value) {
    if (positions_[column] < 0) return true;
    const std::string_view field = fields_[positions_[column]];
    const std::optional<int64_t> read = IntegerOf(field);
    if (read) value = *read;
    if (!read) {
      Complain(diag::kBadCsv, OffsetOf(field), Quoted(field) + " is not a 64-bit integer");
    }
    return read.has_value();
  }

  bool Inclusive(int64_t upper, int64_t& end) const {
    if (inclusive_ == 0 && upper == std::numeric_limits<int64_t>::min()) return false;
    end = inclusive_ != 0 ? upper : upper - 1;
    return true;
  }

  // "3-5 8-9": from and to; the end is exclusive or inclusive as in the rows.
  bool ReadGaps(PackItem& item) {
    if (positions_[kGaps] < 0) return true;
    std::string_view rest = fields_[positions_[kGaps]];
    while (!rest.empty()) {
      const std::string_view gap = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), gap.size() + 1));
      if (gap.empty()) continue;
      const size_t dash = gap.find('-', 1);
      std::optional<int64_t> from;
      std::optional<int64_t> to;
      if (dash != std::string_view::npos) {
        from = IntegerOf(gap.substr(0, dash));
        to = IntegerOf(gap.substr(dash + 1));
      }
      PackRange range;
      if (!from || !to || !Inclusive(*to, range.end)) {
        Complain(
            diag::kBadCsv, OffsetOf(gap),
            gap.find('@') == std::string_view::npos
                ? Quoted(gap) + " is not a gap; a gap is written 3-5"
                : Quoted(gap) +
                      " frees part of the buffer; only gaps that free all of it are supported");
        return false;
      }
      range.start = *from;
      csv_.problem.gaps.push_back(range);
      ++item.gap_count;
    }
    return true;
  }

  void CheckWhole() {
    const std::optional<PackFault> fault = FindPackFault(csv_.problem);
    if (!fault) return;
    if (fault->item < 0) {
      Complain(diag::kBadBuffer, 0, fault->message);
      return;
    }
    Complain(diag::kBadBuffer, rows_[fault->item],
             "buffer " + Quoted(csv_.ids[fault->item]) + ": " + fault->message);
  }

  size_t OffsetOf(std::string_view part) const { return part.data() - text_.data(); }

  std::string_view text_;
  PackCsv csv_;
  std::vector<std::string_view> fields_;
  std::array<int, kColumnCount> positions_;
  std::vector<size_t> rows_;
  size_t columns_ = 0;
  int inclusive_ = 0;
};

}  // namespace

PackCsv ReadPackCsv(std::string_view text) { return CsvReader(text).Read(); }

std::string WritePackCsv(const PackCsv& csv, std::span<const int64_t> offsets) {
  const std::vector<PackItem>& items = csv.problem.items;
  const bool aligned =
      std::ranges::any_of(items, [](const PackItem& i) { return i.alignment > 1; });
  const bool gaps = !csv.problem.gaps.empty();
  std::string out = "id,lower,upper,size";
  if (aligned) out += ",alignment";
  if (gaps) out += ",gaps";
  out += ",offset\n";
  for (size_t i = 0; i < items.size() && i < offsets.size(); ++i) {
    const PackItem& item = items[i];
    out += csv.ids[i];
    for (const int64_t number : {item.live.start, item.live.end + 1, item.size}) {
      out += "," + std::to_string(number);
    }
    if (aligned) out += "," + std::to_string(std::max<int64_t>(item.alignment, 1));
    if (gaps) out += ",";
    for (uint32_t g = 0; g < item.gap_count; ++g) {
      const PackRange& gap = csv.problem.gaps[item.first_gap + g];
      if (g != 0) out += " ";
      out += std::to_string(gap.start) + "-" + std::to_string(gap.end + 1);
    }
    out += "," + std::to_string(offsets[i]) + "\n";
  }
  return out;
}

}  // namespace halo
