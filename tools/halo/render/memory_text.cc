// Lays out where the memory goes: first the total, then the peak, then what is live there and why.
#include "tools/halo/render/memory_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "halo/base/strings/human_size.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/memory_spaces.h"
#include "tools/halo/terminal/bar_chart.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr size_t kValueNameWidth = 28;
constexpr size_t kValueShapeWidth = 36;
constexpr size_t kLineWidth = 98;

std::string Percent(int64_t part, int64_t whole) {
  if (whole <= 0) return "0%";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return share < 9.95 ? fmt::format("{:.1f}%", share) : fmt::format("{:.0f}%", share);
}

std::string BaseName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// The end of a long scope is more informative than its beginning.
std::string Tail(std::string_view text, size_t width) {
  if (text.size() <= width) return std::string(text);
  return "..." + std::string(text.substr(text.size() - (width - 3)));
}

std::string_view BareShape(std::string_view shape) {
  return shape.find(":T(") != std::string_view::npos ? shape : shape.substr(0, shape.find('{'));
}

class MemoryWriter {
 public:
  MemoryWriter(const MemoryResult& result, const MemoryTextOptions& options)
      : result_(result), all_(result.explanation), options_(options) {}

  std::string Write() {
    WriteSource();
    WriteTotals();
    if (all_.has_times) {
      WritePeak();
      WriteProfile();
    } else {
      Line("peak", "no live ranges: give the module or its -live-range.txt too");
    }
    WriteFindings();
    WriteGroups();
    WriteItems();
    WriteAdvice();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string Bold(std::string_view text) const {
    return options_.color ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
  }

  [[nodiscard]] std::string Cut(std::string_view text, size_t width) const {
    return options_.full ? std::string(text) : Shortened(text, width);
  }

  [[nodiscard]] std::string Shape(std::string_view shape) const {
    return options_.full ? std::string(shape)
                         : FitShape(BareShape(shape), kValueShapeWidth, 1, kPlainEllipsis);
  }

  [[nodiscard]] std::string End(std::string_view text, size_t width) const {
    return options_.full ? std::string(text) : Tail(text, width);
  }

  // For arguments, the beginning is as informative as the end.
  [[nodiscard]] std::string ScopeText(std::string_view text, size_t width) const {
    return text.find("['") != std::string_view::npos ? Cut(text, width) : End(text, width);
  }

  void Line(std::string_view label, std::string_view text) {
    out_ += fmt::format("  {:<10} {}\n", label, text);
  }

  // Items in sequence, on as many lines as they need.
  void List(std::string_view label, const std::vector<std::string>& items) {
    std::string text;
    size_t line_begin = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
      if (i != 0) {
        const bool wraps = text.size() - line_begin + item.size() > kLineWidth - 14;
        text += wraps ? "\n" + std::string(13, ' ') : " ";
        if (wraps) line_begin = text.size();
      }
      text += item;
    }
    Line(label, text);
  }

  void WriteSource() {
    const MemoryInputs& inputs = result_.inputs;
    out_ += Bold(inputs.documents.front().path) + "\n";
    std::string beside;
    for (size_t i = 1; i < inputs.documents.size(); ++i) {
      // A new plan uses at most the fast-memory contents of an assignment.
      const bool is_used = !result_.is_planned || !inputs.documents[i].modules.empty() ||
                           DescriptionOf(result_.backend).has_presets();
      if (!is_used) continue;
      const std::string name = BaseName(inputs.documents[i].path);
      const std::string first = BaseName(inputs.documents.front().path);
      size_t common = 0;
      while (common < std::min(name.size(), first.size()) && name[common] == first[common]) {
        ++common;
      }
      beside += fmt::format("{}{}", beside.empty() ? "" : ", ",
                            common > 8 ? "..." + name.substr(common) : name);
    }
    if (!beside.empty()) Line("with", beside);
    std::string text = result_.program.empty() ? "" : result_.program + ": ";
    if (result_.is_planned) {
      if (!result_.is_scheduled) {
        Line("program", text + "not scheduled by XLA yet");
        text.clear();
      }
      text += fmt::format("{}planned by halo as XLA does on {} ({})",
                          result_.is_scheduled ? "" : "scheduled and ",
                          result_.backend ? BackendName(*result_.backend) : "cpu",
                          Cut(result_.backend ? result_.backend_why : "backend not known", 30));
    } else {
      text += "XLA's own assignment";
      if (result_.backend) text += fmt::format(" for {}", BackendName(*result_.backend));
      if (result_.ranges_from_plan) text += "; live ranges computed from the module";
    }
    Line(result_.is_scheduled ? "program" : "", text);
    if (!result_.belongs)
      Line("warning", "this assignment belongs to another module; the module is ignored");
    for (const std::string& each : result_.assumptions) Line("assume", each);
  }

  void WriteTotals() {
    std::vector<std::string> parts;
    const auto add = [&](MemoryKind kind, std::string_view note) {
      const int64_t bytes = all_.by_kind[static_cast<size_t>(kind)];
      if (bytes == 0) return;
      parts.push_back(fmt::format("{} {}{}", MemoryKindText(kind), HumanBytes(bytes), note));
    };
    const std::string donated = all_.donated == 0 ? " (none donated)"
                                : all_.donated == all_.parameters
                                    ? " (all donated)"
                                    : fmt::format(" ({} of {} donated, {})", all_.donated,
                                                  all_.parameters, HumanBytes(all_.donated_bytes));
    add(MemoryKind::kParameter, donated);
    add(MemoryKind::kOutput, "");
    add(MemoryKind::kTemp, "");
    add(MemoryKind::kConstant, "");
    add(MemoryKind::kThreadLocal, "");
    if (!parts.empty()) {
      parts[0] = fmt::format("{}: {}", Bold(HumanBytes(all_.device_bytes)), parts[0]);
    }
    List("total", parts);
    if (result_.bytes_before) {
      const int64_t saved = *result_.bytes_before - all_.device_bytes;
      Line("", fmt::format("{} {} than the {} before", HumanBytes(std::abs(saved)),
                           saved >= 0 ? "less" : "more", HumanBytes(*result_.bytes_before)));
    }
    for (const MemorySpace& space : all_.spaces) {
      if (space.color == kMainSpace) continue;
      Line("", fmt::format("{} (color {}) {}{}", space.name, space.color, HumanBytes(space.bytes),
                           space.is_device ? ", of the above" : ", in addition"));
    }
    if (!result_.capacity) return;
    const int64_t left = *result_.capacity - all_.device_bytes;
    Line("capacity",
         fmt::format("{}: {}", HumanBytes(*result_.capacity),
                     left >= 0 ? fmt::format("fits, {} to spare", HumanBytes(left))
                               : fmt::format("DOES NOT FIT, {} too large", HumanBytes(-left))));
  }

  [[nodiscard]] std::string Moment(std::string_view instruction, std::string_view op_name,
                                   std::string_view source) const {
    std::string text(instruction);
    const size_t taken = 13 + 14 + text.size() + 2 + source.size() + 3;
    if (!op_name.empty()) {
      text += ": " + End(op_name, taken + 12 < kLineWidth ? kLineWidth - taken : 12);
    }
    if (!source.empty()) text += fmt::format(" ({})", source);
    return text;
  }

  void WritePeak() {
    Line("peak", fmt::format("{} at time {} of {}: {} held throughout and {} of temp live",
                             Bold(HumanBytes(all_.peak_bytes)), GroupedDigits(all_.peak_time),
                             GroupedDigits(all_.last_time), HumanBytes(all_.held_bytes),
                             HumanBytes(all_.peak_live)));
    if (!all_.peak_instruction.empty()) {
      Line("",
           "while running " + Moment(all_.peak_instruction, all_.peak_op_name, all_.peak_source));
    }
    if (all_.temp_bytes > 0) {
      const int64_t lost = all_.temp_bytes - all_.peak_live;
      Line("heap", fmt::format("{} of temp for {} live at most: {} ({}) is lost to fragmentation",
                               HumanBytes(all_.temp_bytes), HumanBytes(all_.peak_live),
                               HumanBytes(lost), Percent(lost, all_.temp_bytes)));
      // Shown only if it explains the loss.
      if (all_.table_bytes > lost / 2) {
        Line("", fmt::format("(tuple tables take {}: each keeps separate memory)",
                             HumanBytes(all_.table_bytes)));
      }
    }
    if (all_.printed) {
      const PrintedPeak& printed = *all_.printed;
      // XLA lists values that share a position twice, and lists other memories with the main one. A
      // larger number does not indicate an error.
      const bool agrees = printed.listed_bytes >= printed.live_bytes - printed.live_bytes / 100;
      if (agrees && printed.time == all_.peak_time) return;
      Line("XLA says",
           agrees ? fmt::format("peak at {}, because it counts results only after they are written",
                                GroupedDigits(printed.time))
                  : fmt::format("peak at {}, listing {} bytes; really live there: {}",
                                GroupedDigits(printed.time), GroupedDigits(printed.listed_bytes),
                                GroupedDigits(printed.live_bytes)));
    }
  }

  void WriteProfile() {
    if (all_.peak_live == 0) return;
    const ChartOptions chart{.rows = 4, .ascii = options_.ascii};
    const std::vector<std::string> lines = BarChart(all_.profile, chart);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string mark = i == 0 ? HumanBytes(all_.peak_live) : "";
      out_ += fmt::format("  {:<10} {:>9} |{}\n", i == 0 ? "temp" : "", mark, lines[i]);
    }
    const size_t at = ChartColumn(all_.at, static_cast<int64_t>(all_.profile.size()), chart);
    const std::string label = all_.at == all_.peak_time ? "peak" : fmt::format("time {}", all_.at);
    const bool is_left = at + label.size() + 2 > chart.columns;
    std::string line = std::string(at, ' ') + "^ " + label;
    if (is_left) line = std::string(at - std::min(at, label.size() + 1), ' ') + label + " ^";
    out_ += fmt::format("  {:<10} {:>9} +{}\n", "", "0", std::string(chart.columns, '-'));
    out_ += fmt::format("  {:<10} {:>9}  {}\n", "", "", line);
  }

  void WriteFindings() {
    if (result_.into_outputs && result_.into_outputs->buffers > 0) {
      Line("repacked",
           fmt::format("{} buffers ({}) placed into results' memory before the results are written",
                       GroupedDigits(static_cast<int64_t>(result_.into_outputs->buffers)),
                       HumanBytes(result_.into_outputs->bytes)));
    }
    for (const RepackedHeap& heap : result_.repacked) {
      if (!heap.unusable.empty()) {
        Line("repacked",
             fmt::format("allocation {} unchanged: {}", heap.allocation.value, heap.unusable));
        continue;
      }
      const int64_t gap = heap.new_height - heap.lower_bound;
      Line("repacked", fmt::format("allocation {}: {} instead of {}, {}", heap.allocation.value,
                                   HumanBytes(heap.new_height), HumanBytes(heap.old_height),
                                   gap == 0 ? "which is optimal"
                                            : fmt::format("at most {} above the minimum",
                                                          Percent(gap, heap.lower_bound))));
    }
    if (!result_.findings) return;
    if (result_.findings->ok()) {
      Line("check",
           fmt::format("sound: {} values and {} pairs that share bytes checked",
                       GroupedDigits(static_cast<int64_t>(result_.findings->coverage.values)),
                       GroupedDigits(static_cast<int64_t>(result_.findings->coverage.pairs))));
      return;
    }
    Line("check", fmt::format("NOT SOUND: {} findings", result_.findings->total));
    if (!result_.is_scheduled) {
      Line("",
           "(XLA inserts copies before it schedules; without them values overwrite each other)");
    }
    size_t left = options_.top;
    for (const Finding& finding : result_.findings->findings) {
      if (left-- == 0) break;
      out_ += fmt::format("    {}: {}\n", TextOf(finding.kind), finding.explanation);
    }
  }

  [[nodiscard]] std::string AtText() const {
    if (!all_.has_times) return "in all";
    return all_.at == all_.peak_time ? "at the peak" : fmt::format("at time {}", all_.at);
  }

  void WriteGroups() {
    if (all_.at != all_.peak_time) {
      Line("then", fmt::format("{} at time {}", HumanBytes(all_.at_bytes), all_.at));
      Line("", "while running " + Moment(all_.at_instruction, all_.at_op_name, all_.at_source));
    }
    int64_t whole = 0, small = 0;
    for (const LiveGroup& group : all_.roles) whole += group.bytes;
    std::vector<std::string> roles;
    for (const LiveGroup& group : all_.roles) {
      // Groups that round to zero are omitted.
      if (all_.by != GroupBy::kRole && group.bytes < whole / 1000) {
        small += group.bytes;
        continue;
      }
      roles.push_back(fmt::format("{} {} ({})", group.name, HumanBytes(group.bytes),
                                  Percent(group.bytes, whole)));
    }
    if (small > 0) roles.push_back("other " + HumanBytes(small));
    List("kinds", roles);
    if (all_.by == GroupBy::kRole) return;
    TextTable table("rrrl");
    const size_t rows = std::max<size_t>(options_.top * 6 / 10, 1);
    for (size_t i = 0; i < std::min(rows, all_.groups.size()); ++i) {
      const LiveGroup& group = all_.groups[i];
      table.Add({HumanBytes(group.bytes), Percent(group.bytes, whole),
                 fmt::format("x{}", group.count), ScopeText(group.name, 70)});
    }
    out_ += fmt::format("  {}\n", Bold(fmt::format("by {} {}", GroupByText(all_.by), AtText())));
    out_ += table.Text(4);
    if (all_.groups.size() > rows)
      out_ += fmt::format("    ... {} more\n", all_.groups.size() - rows);
  }

  [[nodiscard]] std::string Parameter(const LiveEntry& item, size_t width) const {
    const std::string number = item.count == 1 ? fmt::format("parameter {}", item.parameter)
                                               : fmt::format("parameters {}, ...", item.parameter);
    const std::string_view held = item.is_donated ? "donated" : "not donated";
    const std::string& name = item.count == 1 ? item.op_name : item.scope;
    if (name.empty()) return fmt::format("{}, {}", number, held);
    const size_t taken = number.size() + held.size() + 4;
    return fmt::format("{}, {}: {}", number, held,
                       Cut(name, width > taken + 12 ? width - taken : 12));
  }

  [[nodiscard]] std::string Why(const LiveEntry& item) const {
    if (item.kind == MemoryKind::kConstant) return "constant, held throughout";
    std::string why;
    if (item.start >= 0) why = fmt::format("made at {}", GroupedDigits(item.start));
    if (!item.source.empty()) why += fmt::format(" ({})", item.source);
    if (item.kind == MemoryKind::kOutput) return why + ", returned";
    if (item.needed_by.empty()) {
      return item.end >= 0 ? fmt::format("{}, live until {}", why, GroupedDigits(item.end)) : why;
    }
    why += fmt::format(", needed at {} by {}", GroupedDigits(std::max(item.needed_at, item.end)),
                       Cut(item.needed_by, kValueNameWidth));
    if (!item.through.empty())
      why += fmt::format(" through {}", Cut(item.through, kValueNameWidth));
    const std::string where = fmt::format(" ({})", item.needed_source);
    if (!item.needed_source.empty() && item.needed_source != item.source &&
        (options_.full || why.size() + where.size() <= kLineWidth - 14)) {
      why += where;
    }
    return why;
  }

  void WriteItems() {
    std::vector<LiveEntry> items = MergeAlike(all_.entries);
    const size_t total = items.size();
    if (items.size() > options_.top) items.resize(options_.top);
    if (items.empty()) return;
    out_ += fmt::format("  {}\n", Bold(fmt::format("largest {}, and why", AtText())));
    for (const LiveEntry& item : items) {
      const std::string count = item.count == 1 ? "" : fmt::format(" x{}", item.count);
      const std::string head =
          fmt::format("  {:>10}  {}{}  ", HumanBytes(item.bytes), Shape(item.shape), count);
      const size_t left = kLineWidth > head.size() + 16 ? kLineWidth - head.size() : 16;
      if (item.parameter >= 0) {
        out_ += head + Parameter(item, left) + "\n";
        continue;
      }
      std::string name = Cut(item.name, kValueNameWidth);
      if (options_.full) {
        name += "  " + item.op_name;
      } else if (!item.scope.empty() && left > name.size() + 14) {
        name += "  " + Tail(item.scope, left - name.size() - 2);
      }
      out_ += head + name + "\n";
      out_ += fmt::format("              {}\n", Why(item));
    }
    if (total > items.size()) out_ += fmt::format("    ... {} more\n", total - items.size());
  }

  void WriteAdvice() {
    if (result_.advice.empty()) return;
    out_ += fmt::format("  {}{}\n", Bold("what would help"),
                        result_.advice_was_short ? " (--advice tries more)" : "");
    const size_t rows = std::min(result_.advice.size(), std::max<size_t>(options_.top / 2, 1));
    for (size_t i = 0; i < rows; ++i) {
      const Advice& each = result_.advice[i];
      std::string text = each.what;
      if (!each.cost.empty()) text += "; " + each.cost;
      out_ +=
          fmt::format("  {:>10}  {}\n", HumanBytes(each.bytes_saved), Cut(text, kLineWidth - 14));
    }
    if (result_.advice.size() > rows) {
      out_ += fmt::format("    ... {} more\n", result_.advice.size() - rows);
    }
  }

  const MemoryResult& result_;
  const MemoryExplanation& all_;
  const MemoryTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string MemoryText(const MemoryResult& result, const MemoryTextOptions& options) {
  return MemoryWriter(result, options).Write();
}

}  // namespace halo::tool
