// The memory usage report of an assignment, as XLA makes it: values that share an offset form one
// row, rows are sorted by size, and small ones are omitted from long lists.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "halo/memory/text/memory_report.h"

namespace halo {
namespace {

// Lists longer than this end once less than this share of the bytes is left.
constexpr size_t kShownAtLeast = 50;
constexpr float kSmallShare = 0.05F;
constexpr int64_t kSmallPercent = 5;

// Saturates, so that sums stay within 64 bits whatever a text claims.
int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t PercentOf(int64_t part, int64_t whole) {
  if (whole == 0) return ReportRow::kMinusNotANumber;
  return static_cast<int64_t>(
      std::nearbyint(100. * static_cast<double>(part) / static_cast<double>(whole)));
}

bool EndsHere(size_t shown, int64_t total, int64_t cumulative) {
  return shown > kShownAtLeast &&
         static_cast<float>(total - cumulative) < static_cast<float>(total) * kSmallShare;
}

// f32[8]{0} becomes f32[8].
std::string WithoutLayout(std::string_view shape) {
  std::string bare;
  int depth = 0;
  for (const char c : shape) {
    if (c == '{') ++depth;
    if (depth == 0) bare += c;
    if (c == '}' && depth > 0) --depth;
  }
  return bare;
}

class ReportMaker {
 public:
  ReportMaker(const Assignment& assignment, ReportForm form) : assignment_(assignment) {
    report_.form = form;
    report_.parts.style = assignment.style;
  }

  MemoryReport Make() {
    if (report_.form == ReportForm::kAllocations) {
      MakeSummaries();
    } else {
      MakeSpaces();
    }
    return std::move(report_);
  }

 private:
  void SortBySize(std::vector<size_t>& numbers) const {
    std::ranges::sort(numbers, {},
                      [this](size_t i) { return std::pair(-assignment_.allocations[i].size, i); });
  }
  int64_t SizeOf(const std::vector<size_t>& numbers) const {
    int64_t total = 0;
    for (const size_t i : numbers) total = Plus(total, assignment_.allocations[i].size);
    return total;
  }

  void MakeSpaces() {
    std::map<int32_t, std::vector<size_t>> by_color;
    for (size_t i = 0; i < assignment_.allocations.size(); ++i)
      by_color[assignment_.allocations[i].color].push_back(i);
    for (auto& [color, numbers] : by_color) {
      SortBySize(numbers);
      ReportSpace& space = report_.spaces.emplace_back();
      space.color = color;
      space.total_bytes = SizeOf(numbers);
      int64_t cumulative = 0;
      for (size_t shown = 0; shown < numbers.size();) {
        const Allocation& allocation = assignment_.allocations[numbers[shown]];
        cumulative = Plus(cumulative, allocation.size);
        MakeTable(allocation, space.tables.emplace_back());
        if (EndsHere(++shown, space.total_bytes, cumulative)) break;
      }
    }
  }

  void MakeSummaries() {
    std::vector<size_t> numbers(assignment_.allocations.size());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    SortBySize(numbers);
    report_.total_bytes = SizeOf(numbers);
    int64_t cumulative = 0;
    for (size_t shown = 0; shown < numbers.size();) {
      ReportSummary& summary = report_.summaries.emplace_back();
      summary.allocation = Copy(numbers[shown]);
      cumulative = Plus(cumulative, assignment_.allocations[numbers[shown]].size);
      summary.cumulative = cumulative;
      summary.remaining = report_.total_bytes - cumulative;
      summary.percent = PercentOf(cumulative, report_.total_bytes);
      if (!EndsHere(++shown, report_.total_bytes, cumulative)) continue;
      report_.rest = {static_cast<int64_t>(numbers.size() - shown), kSmallPercent};
      break;
    }
    ReportSpace& space = report_.spaces.emplace_back();
    for (const size_t number : numbers) {
      ReportTable& table = space.tables.emplace_back();
      table.allocation = Copy(number);
      if (assignment_.allocations[number].count != 1)
        MakeTable(assignment_.allocations[number], table);
    }
  }

  AllocationId Copy(size_t number) {
    Allocation copy = assignment_.allocations[number];
    const AllocationId id(report_.parts.allocations.size());
    copy.parameter_index = report_.parts.Index(assignment_.index(copy.parameter_index));
    copy.parameter_shape = report_.parts.Text(assignment_.text(copy.parameter_shape));
    if (copy.output_shape.valid())
      copy.output_shape = report_.parts.Text(assignment_.text(copy.output_shape));
    report_.parts.allocations.push_back(copy);
    report_.numbers.push_back(static_cast<int64_t>(number));
    return id;
  }

  void MakeTable(const Allocation& allocation, ReportTable& table) {
    struct Group {
      ReportRow row;
      int64_t last_id = -1;
      std::map<std::string, int64_t> shapes;
    };
    table.has_rows = true;
    std::map<int64_t, Group> by_offset;
    int64_t total = 0;
    for (const ValueId id : assignment_.values_of(allocation)) {
      const AssignedValue& value = assignment_.value(id);
      Group& group = by_offset[value.offset];
      group.row.offset = value.offset;
      group.row.size = std::max(group.row.size, value.size);
      ++group.row.values;
      group.last_id = value.id;
      ++group.shapes[WithoutLayout(assignment_.text(value.shape))];
    }
    std::vector<Group*> groups;
    for (auto& [offset, group] : by_offset) {
      total = Plus(total, group.row.size);
      groups.push_back(&group);
    }
    std::ranges::sort(
        groups, {}, [](const Group* group) { return std::pair(-group->row.size, group->last_id); });
    int64_t cumulative = 0;
    for (Group* group : groups) {
      cumulative = Plus(cumulative, group->row.size);
      group->row.cumulative = cumulative;
      group->row.percent = PercentOf(cumulative, total);
      std::vector<std::pair<int64_t, std::string_view>> shapes;
      for (const auto& [shape, count] : group->shapes) shapes.emplace_back(count, shape);
      std::ranges::sort(shapes);
      for (const auto& [count, shape] : shapes)
        group->row.shapes.push_back({count, report_.parts.Text(shape)});
      table.rows.push_back(std::move(group->row));
      if (!EndsHere(table.rows.size(), total, cumulative)) continue;
      table.rest = {static_cast<int64_t>(groups.size() - table.rows.size()), kSmallPercent};
      break;
    }
  }

  const Assignment& assignment_;
  MemoryReport report_;
};

}  // namespace

MemoryReport MakeMemoryReport(const Assignment& assignment, ReportForm form) {
  return ReportMaker(assignment, form).Make();
}

}  // namespace halo
