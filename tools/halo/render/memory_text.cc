// Lays out the verdict, then what was analyzed, the totals, the peak and what a check found. Lists
// are in memory_lists.cc, advice is in memory_advice.cc.
#include "tools/halo/render/memory_text.h"

#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/memory_spaces.h"
#include "tools/halo/terminal/bar_chart.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr size_t kMemoryLabel = 11;  // columns of a label and the space after it
constexpr size_t kMemoryColumn = kMemoryLabel + 2;

std::string BaseName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// "temporary" instead of XLA's "temp", which means only one of its allocations.
std::string_view KindLabel(MemoryKind kind) {
  return kind == MemoryKind::kTemp ? "temporary" : MemoryKindText(kind);
}

class MemoryWriter {
 public:
  MemoryWriter(const MemoryResult& result, const MemoryTextOptions& options)
      : result_(result), all_(result.explanation), options_(options) {}

  std::string Write() {
    WriteVerdict();
    out_ += MemoryAdviceText(result_, options_);
    WriteSource();
    WriteTotals();
    if (all_.has_times) {
      WritePeak();
      WriteProfile();
    } else {
      Line("peak", "no live ranges: give the module or its -live-range.txt too");
    }
    WriteFindings();
    WriteTime();
    out_ += MemoryGroupsText(all_, options_);
    out_ += MemoryValuesText(all_, options_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string Bold(std::string_view text) const {
    return Painted(text, Paint::kBold, options_.color);
  }

  void Line(std::string_view label, std::string_view text) {
    out_ += MemoryLine(label, text, options_);
  }

  void WriteVerdict() {
    std::string text = Printable(result_.verdict.text);
    constexpr std::string_view kBad = "DOES NOT FIT";
    const size_t bad = text.find(kBad);
    if (bad != std::string::npos) {
      text.replace(bad, kBad.size(), Painted(kBad, Paint::kBad, options_.color));
    }
    out_ += WrapText(text, options_.width, 2) + "\n";
  }

  void WriteSource() {
    const MemoryInputs& inputs = result_.inputs;
    out_ += WrapText(Bold(inputs.documents.front().path), options_.width, 2) + "\n";
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
      beside += Phrase("{}{}", beside.empty() ? "" : ", ",
                       common > 8 ? "..." + name.substr(common) : name);
    }
    if (!beside.empty()) Line("with", beside);
    Line("program",
         result_.program.empty() ? PlanText() : Phrase("{}: {}", result_.program, PlanText()));
    if (!result_.belongs)
      Line("warning", "this assignment belongs to another module; the module is ignored");
    for (const std::string& each : result_.assumptions) Line("assume", Printable(each));
  }

  // Whose plan is explained, and why.
  [[nodiscard]] std::string PlanText() const {
    if (!result_.is_planned) {
      std::string text = "XLA's own assignment";
      if (result_.backend) text += Phrase(" for {}", BackendName(*result_.backend));
      if (result_.ranges_from_plan) text += "; live ranges computed from the module";
      return text;
    }
    const std::string as =
        Phrase("as XLA would for {} ({})", result_.backend ? BackendName(*result_.backend) : "cpu",
               result_.backend ? result_.backend_why : "backend not known");
    if (!result_.is_scheduled) {
      return "not scheduled by XLA yet, no buffer assignment; scheduled and planned by halo " + as;
    }
    return result_.inputs.pieces.has(AssignmentPiece::kAllocations)
               ? "planned again by halo " + as
               : "no buffer assignment in the dump; planned by halo " + as;
  }

  void WriteTotals() {
    std::vector<std::string> parts;
    const auto add = [&](MemoryKind kind, std::string_view note) {
      const int64_t bytes = all_.by_kind[static_cast<size_t>(kind)];
      if (bytes == 0) return;
      parts.push_back(Phrase("{} {}{}", KindLabel(kind), HumanBytes(bytes), note));
    };
    const std::string donated = all_.donated == 0 ? " (none donated)"
                                : all_.donated == all_.parameters
                                    ? " (all donated)"
                                    : Phrase(" ({} of {} donated, {})", all_.donated,
                                             all_.parameters, HumanBytes(all_.donated_bytes));
    add(MemoryKind::kParameter, donated);
    add(MemoryKind::kOutput, "");
    add(MemoryKind::kTemp, "");
    add(MemoryKind::kConstant, "");
    add(MemoryKind::kThreadLocal, "");
    if (!parts.empty()) {
      parts[0] = Bold(HumanBytes(all_.device_bytes)) + ": " + parts[0];
    }
    out_ += MemoryItems("total", parts, options_);
    if (result_.bytes_before) {
      const int64_t saved = *result_.bytes_before - all_.device_bytes;
      Line("", Phrase("{} {} than the {} before", HumanBytes(std::abs(saved)),
                      saved >= 0 ? "less" : "more", HumanBytes(*result_.bytes_before)));
    }
    for (const MemorySpace& space : all_.spaces) {
      if (space.color == kMainSpace) continue;
      Line("", Phrase("{} (color {}) {}{}", space.name, space.color, HumanBytes(space.bytes),
                      space.is_device ? ", of the above" : ", in addition"));
    }
    if (all_.total_bytes != all_.device_bytes) {
      Line("", Phrase("{} in all memory spaces, as XLA counts its total",
                      HumanBytes(all_.total_bytes)));
    }
    if (!result_.capacity) return;
    const int64_t left = *result_.capacity - all_.device_bytes;
    const std::string bad = Painted("DOES NOT FIT", Paint::kBad, options_.color);
    Line("capacity", HumanBytes(*result_.capacity) +
                         (left >= 0 ? Phrase(": fits, {} to spare", HumanBytes(left))
                                    : ": " + bad + Phrase(", {} too large", HumanBytes(-left))));
  }

  void WritePeak() {
    Line("peak", Bold(HumanBytes(all_.peak_bytes)) +
                     Phrase(" at position {} of {} in the schedule: {} held throughout and {} of "
                            "temporary values",
                            GroupedDigits(all_.peak_time), GroupedDigits(all_.last_time),
                            HumanBytes(all_.held_bytes), HumanBytes(all_.peak_live)));
    if (!all_.peak_instruction.empty()) {
      Line("", "while running " +
                   MemoryMoment(all_.peak_instruction, all_.peak_op_name, all_.peak_source));
    }
    if (all_.temp_bytes > 0) {
      const int64_t lost = all_.temp_bytes - all_.peak_live;
      Line("heap",
           Phrase("{} for temporary values, {} of them live at the peak: {} ({}) is lost to "
                  "fragmentation",
                  HumanBytes(all_.temp_bytes), HumanBytes(all_.peak_live), HumanBytes(lost),
                  MemoryShare(lost, all_.temp_bytes)));
      // Shown only if it explains the loss.
      if (all_.table_bytes > lost / 2 && all_.table_bytes > 0) {
        Line("", Phrase("(tuple tables take {}: each keeps separate memory)",
                        HumanBytes(all_.table_bytes)));
      }
    }
    if (!all_.printed) return;
    const PrintedPeak& printed = *all_.printed;
    // XLA lists values that share a position twice, and lists other memories with the main one. A
    // larger number does not indicate an error.
    const bool agrees = printed.listed_bytes >= printed.live_bytes - printed.live_bytes / 100;
    if (agrees && printed.time == all_.peak_time) return;
    Line("XLA says",
         agrees
             ? Phrase("peak at position {}, because it counts results only after they are written",
                      GroupedDigits(printed.time))
             : Phrase("peak at position {}, listing {} bytes; really live there: {} bytes",
                      GroupedDigits(printed.time), GroupedDigits(printed.listed_bytes),
                      GroupedDigits(printed.live_bytes)));
  }

  void WriteProfile() {
    if (all_.peak_live == 0) return;
    constexpr size_t kColumns = 60;
    constexpr size_t kAxis = kMemoryColumn + 11;  // the largest figure and the line
    ChartOptions chart{.columns = kColumns, .rows = 4, .ascii = options_.ascii};
    if (options_.width != 0) {
      chart.columns = std::min(kColumns, std::max<size_t>(options_.width, kAxis + 10) - kAxis);
    }
    const std::vector<std::string> lines = BarChart(all_.profile, chart);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string mark = i == 0 ? HumanBytes(all_.peak_live) : "";
      out_ += Phrase("  {:<10} {:>9} |{}\n", i == 0 ? "temporary" : "", mark, lines[i]);
    }
    const size_t at = ChartColumn(all_.at, static_cast<int64_t>(all_.profile.size()), chart);
    const std::string label =
        all_.at == all_.peak_time ? "peak" : Phrase("position {}", GroupedDigits(all_.at));
    const bool is_left = at + label.size() + 2 > chart.columns;
    std::string line = std::string(at, ' ') + "^ " + label;
    if (is_left) line = std::string(at - std::min(at, label.size() + 1), ' ') + label + " ^";
    out_ += Phrase("  {:<10} {:>9} +{}\n", "", "0", std::string(chart.columns, '-'));
    out_ += Phrase("  {:<10} {:>9}  {}\n", "", "", line);
  }

  void WriteFindings() {
    if (result_.into_outputs && result_.into_outputs->buffers > 0) {
      Line("repacked",
           Phrase("{} buffers ({}) placed into results' memory before the results are written",
                  GroupedDigits(static_cast<int64_t>(result_.into_outputs->buffers)),
                  HumanBytes(result_.into_outputs->bytes)));
    }
    for (const RepackedHeap& heap : result_.repacked) {
      if (!heap.unusable.empty()) {
        Line("repacked",
             Phrase("allocation {} unchanged: {}", heap.allocation.value, heap.unusable));
        continue;
      }
      const int64_t gap = heap.new_height - heap.lower_bound;
      Line("repacked", Phrase("allocation {}: {} instead of {}, {}", heap.allocation.value,
                              HumanBytes(heap.new_height), HumanBytes(heap.old_height),
                              gap == 0 ? "which is optimal"
                                       : Phrase("at most {} above the minimum",
                                                MemoryShare(gap, heap.lower_bound))));
    }
    if (!result_.findings) return;
    if (result_.findings->ok()) {
      Line("check", Phrase("sound: {} values and {} pairs that share bytes checked",
                           GroupedDigits(static_cast<int64_t>(result_.findings->coverage.values)),
                           GroupedDigits(static_cast<int64_t>(result_.findings->coverage.pairs))));
      return;
    }
    Line("check", Painted("NOT SOUND", Paint::kBad, options_.color) +
                      Phrase(": {} findings", result_.findings->total));
    if (!result_.is_scheduled) {
      Line("",
           "(XLA inserts copies before it schedules; without them values overwrite each other)");
    }
    size_t left = options_.top;
    for (const Finding& finding : result_.findings->findings) {
      if (left-- == 0) break;
      out_ += WrapText(Phrase("    {}: {}", TextOf(finding.kind), finding.explanation),
                       options_.width, 6) +
              "\n";
    }
  }

  // The time that the lists are about, if it is not the peak.
  void WriteTime() {
    if (all_.at == all_.peak_time) return;
    Line("then", Phrase("{} at position {}", HumanBytes(all_.at_bytes), GroupedDigits(all_.at)));
    Line("", "while running " + MemoryMoment(all_.at_instruction, all_.at_op_name, all_.at_source));
  }

  const MemoryResult& result_;
  const MemoryExplanation& all_;
  const MemoryTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string MemoryLine(std::string_view label, std::string_view text,
                       const MemoryTextOptions& options) {
  return LabelledText(label, kMemoryLabel, text, options.width);
}

std::string MemoryItems(std::string_view label, const std::vector<std::string>& items,
                        const MemoryTextOptions& options) {
  std::string text, line;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    const size_t needed = DisplayWidth(line) + 1 + DisplayWidth(item) + kMemoryColumn;
    if (options.width != 0 && !line.empty() && needed > options.width) {
      text += line + "\n" + std::string(kMemoryColumn, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item;
  }
  return MemoryLine(label, text + line, options);
}

std::string MemoryMoment(std::string_view instruction, std::string_view op_name,
                         std::string_view source) {
  std::string text = Printable(instruction);
  if (!op_name.empty()) text += ": " + Printable(op_name);
  if (!source.empty()) text += Phrase(" ({})", source);
  return text;
}

std::string MemoryShare(int64_t part, int64_t whole) {
  if (whole <= 0) return "0%";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return share < 9.95 ? Phrase("{:.1f}%", share) : Phrase("{:.0f}%", share);
}

std::string MemoryText(const MemoryResult& result, const MemoryTextOptions& options) {
  return MemoryWriter(result, options).Write();
}

}  // namespace halo::tool
