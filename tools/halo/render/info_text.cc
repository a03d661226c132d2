// Lays out what is known about a file.
#include "tools/halo/render/info_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "halo/base/strings/human_size.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

// Rows of each list on the first screen.
constexpr size_t kRows = 5;
constexpr size_t kListed = 12;
constexpr size_t kParameterShapeWidth = 44;
constexpr size_t kParameterNameWidth = 36;
constexpr size_t kOpNameWidth = 64;

std::string Bytes(const std::optional<int64_t>& bytes) { return bytes ? HumanBytes(*bytes) : "?"; }

class InfoWriter {
 public:
  explicit InfoWriter(const InfoTextOptions& options) : options_(options) {}

  std::string Write(const FileInfo& file) {
    out_ += Bold(file.path) + "\n";
    if (file.modules.size() != 1) WriteFileLine(file);
    for (const ModuleInfo& module : file.modules) {
      if (file.modules.size() != 1) out_ += "\n  " + Bold(module.section) + "\n";
      WriteModule(file, module);
    }
    if (file.assignment) WriteAssignment(*file.assignment);
    for (const OtherSection& other : file.others) {
      Line("section", fmt::format("{}: {}", other.name, DescribeKind(other.kind)));
    }
    if (file.errors + file.warnings != 0) {
      Line("problems", fmt::format("{}, {}: see halo check",
                                   Counted(static_cast<int64_t>(file.errors), "error"),
                                   Counted(static_cast<int64_t>(file.warnings), "warning")));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string Bold(std::string_view text) const {
    return options_.color ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
  }

  void Line(std::string_view label, std::string_view text) {
    out_ += fmt::format("  {:<13}{}\n", label, text);
  }

  static std::string KindText(const FileInfo& file) {
    std::string text = fmt::format("{}, {}", DescribeKind(file.kind),
                                   HumanBytes(static_cast<int64_t>(file.bytes)));
    if (file.compression != Compression::kNone) {
      text += fmt::format(" ({} in the file)", HumanBytes(static_cast<int64_t>(file.stored_bytes)));
    }
    return text;
  }

  void WriteFileLine(const FileInfo& file) {
    Line("kind", KindText(file));
    if (!file.modules.empty()) {
      Line("modules", std::to_string(file.modules.size()));
    } else if (!HoldsModules(file.kind)) {
      Line("hint", InsteadOf(file.kind));
    }
  }

  void WriteAssignment(const AssignmentInfo& info) {
    if (info.allocations) Line("allocations", GroupedDigits(*info.allocations));
    if (info.values) Line("values", GroupedDigits(*info.values));
    if (info.total_bytes) {
      const bool has_more = info.device_bytes && *info.device_bytes != *info.total_bytes;
      Line("total", fmt::format("{} bytes ({}){}", GroupedDigits(*info.total_bytes),
                                HumanBytes(*info.total_bytes),
                                has_more ? fmt::format(" in all memory spaces, {} of them in main "
                                                       "memory",
                                                       HumanBytes(*info.device_bytes))
                                         : ""));
    }
    if (info.live_ranges) {
      Line("live ranges", fmt::format("{} over {}", GroupedDigits(*info.live_ranges),
                                      Counted(*info.schedule_steps, "step")));
    }
    if (info.peak_time)
      Line("peak", fmt::format("at step {} according to XLA", GroupedDigits(*info.peak_time)));
  }

  void WriteModule(const FileInfo& file, const ModuleInfo& module) {
    std::string what = module.name.empty() ? "(no name)" : module.name;
    what += module.scheduled ? ", scheduled" : ", not scheduled";
    if (module.num_partitions != 1) what += fmt::format(", {} partitions", module.num_partitions);
    if (module.replica_count != 1) what += fmt::format(", {} replicas", module.replica_count);
    Line("module", what);
    Line("backend",
         fmt::format("{} ({})", BackendText(module.backend.backend), Cut(module.backend.why, 80)));
    if (file.modules.size() == 1) Line("file", KindText(file));
    if (module.generation.generation != Generation::kUnknown) {
      Line("generation",
           fmt::format("{} ({})", GenerationText(module.generation), module.generation.why));
    }
    Line("size",
         fmt::format("{} in {}; entry {}, fused {}", Counted(module.instructions, "instruction"),
                     Counted(module.computations, "computation"),
                     GroupedDigits(module.entry_instructions),
                     GroupedDigits(module.fused_instructions)));
    WriteMemory(module);
    WriteCollectives(module);
    WriteLoops(module);
    WriteCustomCalls(module);
    WriteTally("fusions", module.fusions, false);
    WriteTally("opcodes", module.opcodes, false);
    WriteTally("types", module.dtypes, true);
    WriteLargest(module);
    WriteParameters(module);
    WriteOutputs(module);
  }

  static std::string GenerationText(const GenerationGuess& guess) {
    std::string text(halo::GenerationText(guess.generation));
    if (guess.latest == guess.generation) return text;
    return text + (guess.latest == Generation::kG6
                       ? " or later"
                       : fmt::format(" or {}", halo::GenerationText(guess.latest)));
  }

  void WriteMemory(const ModuleInfo& module) {
    std::string text = fmt::format("parameters {}, outputs {}", HumanBytes(module.parameter_bytes),
                                   HumanBytes(module.output_bytes));
    if (module.aliased_bytes != 0) {
      text += fmt::format(" ({} in parameters' memory)", HumanBytes(module.aliased_bytes));
    }
    if (module.constant_bytes != 0)
      text += fmt::format(", constants {}", HumanBytes(module.constant_bytes));
    Line("memory", text);
    if (module.elided_constants != 0) {
      Line("", fmt::format("{} printed as {{...}}: values unknown",
                           Counted(module.elided_constants, "constant")));
    }
  }

  void WriteCollectives(const ModuleInfo& module) {
    if (module.collectives.empty()) {
      if (module.num_partitions * module.replica_count != 1) Line("collectives", "none");
      return;
    }
    TextTable table("lrrrrl");
    table.Add({"", "count", "async", "runs", "bytes", "groups"});
    for (const CollectiveInfo& each : module.collectives) {
      const std::string_view more = each.at_least ? ">=" : "";
      table.Add({each.opcode, GroupedDigits(each.count), GroupedDigits(each.async),
                 fmt::format("{}{}", more, GroupedDigits(each.runs)),
                 fmt::format("{}{}", more, HumanBytes(each.run_bytes)), GroupsText(each)});
    }
    Section("collectives", "per run of the program", table, module.collectives.size(),
            module.collectives.size());
  }

  static std::string GroupsText(const CollectiveInfo& each) {
    std::string text;
    for (const GroupSize& group : each.group_sizes) {
      if (!text.empty()) text += ", ";
      text += each.opcode == "collective-permute" ? fmt::format("{} pairs", group.size)
                                                  : fmt::format("of {}", group.size);
      if (each.group_sizes.size() != 1) text += fmt::format(" x{}", group.count);
    }
    return text;
  }

  void WriteLoops(const ModuleInfo& module) {
    if (module.loops.empty()) return;
    TextTable table("lrrrl");
    table.Add({"", "trips", "body", "carries", ""});
    for (const LoopInfo& loop : First(module.loops)) {
      table.Add({Cut(loop.name, kParameterNameWidth),
                 loop.trip_count ? GroupedDigits(*loop.trip_count) : "unknown",
                 GroupedDigits(loop.body_instructions), HumanBytes(loop.carried_bytes),
                 Cut(loop.op_name, kOpNameWidth)});
    }
    Section("loops", "", table, Shown(module.loops.size()), module.loops.size());
  }

  void WriteCustomCalls(const ModuleInfo& module) {
    if (module.custom_calls.empty()) return;
    TextTable table("lrr");
    for (const Tally& call : First(module.custom_calls)) {
      table.Add({Cut(call.name, 60), GroupedDigits(call.count), HumanBytes(call.bytes)});
    }
    Section("custom calls", "target, count, result bytes", table, Shown(module.custom_calls.size()),
            module.custom_calls.size());
  }

  void WriteTally(std::string_view label, const std::vector<Tally>& tallies, bool with_bytes) {
    if (tallies.empty()) return;
    const size_t shown = options_.all ? tallies.size() : std::min(tallies.size(), kListed);
    std::string text;
    size_t line_begin = 0;
    for (size_t i = 0; i < shown; ++i) {
      const Tally& tally = tallies[i];
      std::string item = fmt::format("{} {}", tally.name, GroupedDigits(tally.count));
      if (with_bytes && tally.bytes != 0) item += fmt::format(" ({})", HumanBytes(tally.bytes));
      if (i + 1 != shown || shown != tallies.size()) item += ",";
      if (i != 0) {
        // Fits a 100-column terminal after the label.
        const bool wraps = text.size() - line_begin + item.size() > 84;
        text += wraps ? "\n" + std::string(15, ' ') : " ";
        if (wraps) line_begin = text.size();
      }
      text += item;
    }
    if (shown != tallies.size()) text += fmt::format(" ... {} more", tallies.size() - shown);
    Line(label, text);
  }

  void WriteLargest(const ModuleInfo& module) {
    if (module.largest.empty()) return;
    TextTable table("rlll");
    for (const BigValue& value : First(module.largest)) {
      table.Add({HumanBytes(value.bytes), Cut(value.name, kParameterNameWidth),
                 Cut(value.shape, kParameterShapeWidth), Cut(value.op_name, kOpNameWidth)});
    }
    Section("largest", "values except parameters", table, 1, 1);
  }

  void WriteParameters(const ModuleInfo& module) {
    if (module.parameters.empty()) return;
    // Users look for the large ones; --all keeps the original order.
    std::vector<ParameterInfo> parameters = module.parameters;
    if (!options_.all) {
      std::sort(parameters.begin(), parameters.end(),
                [](const ParameterInfo& a, const ParameterInfo& b) {
                  return a.bytes != b.bytes ? a.bytes > b.bytes : a.number < b.number;
                });
    }
    TextTable table("rrlll");
    for (const ParameterInfo& each : First(parameters)) {
      table.Add({std::to_string(each.number), Bytes(each.bytes),
                 Cut(each.shape, kParameterShapeWidth),
                 each.aliased ? "aliased" : (each.donated ? "donated" : ""),
                 Cut(each.op_name.empty() ? each.name : each.op_name, kOpNameWidth)});
    }
    Section("parameters", ListNote(module.parameters.size(), module.parameter_bytes), table,
            Shown(parameters.size()), parameters.size());
  }

  void WriteOutputs(const ModuleInfo& module) {
    if (module.outputs.empty()) return;
    std::vector<OutputInfo> outputs = module.outputs;
    if (!options_.all) {
      std::sort(outputs.begin(), outputs.end(), [](const OutputInfo& a, const OutputInfo& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.index < b.index;
      });
    }
    TextTable table("rrlll");
    for (const OutputInfo& each : First(outputs)) {
      table.Add(
          {fmt::format("{{{}}}", fmt::join(each.index, ",")), Bytes(each.bytes),
           Cut(each.shape, kParameterShapeWidth),
           each.aliases_parameter ? fmt::format("in parameter {}", *each.aliases_parameter) : "",
           Cut(each.name, kParameterNameWidth)});
    }
    Section("outputs", ListNote(module.outputs.size(), module.output_bytes), table,
            Shown(outputs.size()), outputs.size());
  }

  [[nodiscard]] std::string ListNote(size_t count, int64_t bytes) const {
    const bool sorted = !options_.all && count > kRows;
    return fmt::format("{}, {}{}", count, HumanBytes(bytes), sorted ? ", largest first" : "");
  }

  // A heading, the table below it, and how much of the list is not shown.
  void Section(std::string_view label, std::string_view note, const TextTable& table, size_t shown,
               size_t total) {
    out_ += fmt::format("  {}{}\n", Bold(label), note.empty() ? "" : fmt::format(" ({})", note));
    out_ += table.Text(4);
    if (shown < total) out_ += fmt::format("    ... {} more\n", total - shown);
  }

  [[nodiscard]] size_t Shown(size_t total) const {
    return options_.all ? total : std::min(total, kRows);
  }

  template <class T>
  [[nodiscard]] std::vector<T> First(const std::vector<T>& list) const {
    return {list.begin(), list.begin() + static_cast<ptrdiff_t>(Shown(list.size()))};
  }

  [[nodiscard]] std::string Cut(std::string_view text, size_t width) const {
    return options_.all ? std::string(text) : Shortened(text, width);
  }

  const InfoTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string InfoText(const FileInfo& file, const InfoTextOptions& options) {
  return InfoWriter(options).Write(file);
}

}  // namespace halo::tool
