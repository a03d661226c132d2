// Lays out what is known about a file.
#include "tools/halo/render/info_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "halo/base/strings/human_size.h"
#include "halo/text/generation.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

// Rows of each table and entries of each list on the first screen.
constexpr size_t kRows = 5;
constexpr size_t kListed = 12;
constexpr size_t kLabelWidth = 13;
// Without a terminal, names and shapes have these widths, and lists this one.
constexpr size_t kListWidth = 84;
constexpr size_t kParameterShapeWidth = 44;
constexpr size_t kParameterNameWidth = 36;
constexpr size_t kOpNameWidth = 64;

std::string Bytes(const std::optional<int64_t>& bytes) { return bytes ? HumanBytes(*bytes) : "?"; }

class InfoWriter {
 public:
  explicit InfoWriter(const InfoTextOptions& options) : options_(options) {}

  std::string Write(const FileInfo& file) {
    out_ += Bold(FitName(Printable(file.path), options_.width)) + "\n";
    if (file.modules.size() != 1) WriteFileLine(file);
    for (const v0::InfoModule& module : file.modules) {
      if (file.modules.size() != 1) out_ += "\n  " + Bold(module.section) + "\n";
      WriteModule(file, module);
    }
    if (file.assignment) WriteAssignment(*file.assignment);
    for (const OtherSection& other : file.others) {
      Line("section", Phrase("{}: {}", other.name, DescribeKind(other.kind)));
    }
    if (file.errors + file.warnings != 0) {
      Line("problems",
           Phrase("{}, {}: see halo check", Counted(static_cast<int64_t>(file.errors), "error"),
                  Counted(static_cast<int64_t>(file.warnings), "warning")));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string Bold(std::string_view text) const {
    return Painted(text, Paint::kBold, options_.color);
  }

  void Line(std::string_view label, std::string_view text) {
    out_ += LabelledText(label, kLabelWidth, text, options_.width);
  }

  static std::string KindText(const FileInfo& file) {
    std::string text =
        Phrase("{}, {}", DescribeKind(file.kind), HumanBytes(static_cast<int64_t>(file.bytes)));
    if (file.compression != Compression::kNone) {
      text += Phrase(" ({} in the file)", HumanBytes(static_cast<int64_t>(file.stored_bytes)));
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

  void WriteAssignment(const v0::InfoAssignment& info) {
    if (info.allocations) Line("allocations", GroupedDigits(*info.allocations));
    if (info.values) Line("values", GroupedDigits(*info.values));
    if (info.total_bytes) {
      const bool has_more = info.device_bytes && *info.device_bytes != *info.total_bytes;
      Line("total", Phrase("{} bytes ({}){}", GroupedDigits(*info.total_bytes),
                           HumanBytes(*info.total_bytes),
                           has_more ? Phrase(" in all memory spaces, {} of them in main "
                                             "memory",
                                             HumanBytes(*info.device_bytes))
                                    : ""));
    }
    if (info.live_ranges) {
      Line("live ranges", Phrase("{} over {}", GroupedDigits(*info.live_ranges),
                                 Counted(*info.schedule_steps, "step")));
    }
    if (info.peak_time)
      Line("peak", Phrase("at step {} according to XLA", GroupedDigits(*info.peak_time)));
  }

  void WriteModule(const FileInfo& file, const v0::InfoModule& module) {
    std::string what = module.name.empty() ? "(no name)" : Printable(module.name);
    what += module.scheduled ? ", scheduled" : ", not scheduled";
    if (module.num_partitions != 1) what += Phrase(", {} partitions", module.num_partitions);
    if (module.replica_count != 1) what += Phrase(", {} replicas", module.replica_count);
    Line("module", what);
    Line("backend", Phrase("{} ({})", module.backend.is, module.backend.why));
    if (file.modules.size() == 1) Line("file", KindText(file));
    if (module.generation.is != GenerationText(Generation::kUnknown)) {
      Line("generation",
           Phrase("{} ({})", GenerationsText(module.generation), module.generation.why));
    }
    Line("size", Phrase("{} in {}; entry {}, fused {}", Counted(module.instructions, "instruction"),
                        Counted(module.computations, "computation"),
                        GroupedDigits(module.entry_instructions),
                        GroupedDigits(module.fused_instructions)));
    WriteMemory(module);
    WriteCollectives(module);
    WriteLoops(module);
    WriteCustomCalls(module);
    WriteTally("fusions", module.fusions);
    WriteTally("opcodes", module.opcodes);
    WriteTally("types", module.dtypes);
    WriteLargest(module);
    WriteParameters(module);
    WriteOutputs(module);
  }

  static std::string GenerationsText(const v0::InfoGeneration& guess) {
    if (guess.latest == guess.is) return guess.is;
    const bool is_open = guess.latest == GenerationText(Generation::kG6);
    return guess.is + (is_open ? " or later" : Phrase(" or {}", guess.latest));
  }

  void WriteMemory(const v0::InfoModule& module) {
    std::string text = Phrase("parameters {}, outputs {}", HumanBytes(module.parameter_bytes),
                              HumanBytes(module.output_bytes));
    if (module.aliased_bytes != 0) {
      text += Phrase(" ({} in parameters' memory)", HumanBytes(module.aliased_bytes));
    }
    if (module.constant_bytes != 0)
      text += Phrase(", constants {}", HumanBytes(module.constant_bytes));
    Line("memory", text);
    if (module.elided_constants != 0) {
      Line("", Phrase("{} printed as {{...}}: values unknown",
                      Counted(module.elided_constants, "constant")));
    }
  }

  void WriteCollectives(const v0::InfoModule& module) {
    if (module.collectives.empty()) {
      if (module.num_partitions * module.replica_count != 1) Line("collectives", "none");
      return;
    }
    TextTable table(Kinds("lrrrrt"));
    table.Add({"", "count", "async", "runs", "bytes", "groups"});
    for (const v0::InfoCollective& each : First(module.collectives, module.collectives.size())) {
      const std::string_view more = each.runs_at_least ? ">=" : "";
      table.Add({each.opcode, GroupedDigits(each.count), GroupedDigits(each.async),
                 Phrase("{}{}", more, GroupedDigits(each.runs)),
                 Phrase("{}{}", more, HumanBytes(each.run_bytes)), GroupsText(each)});
    }
    const size_t count = module.collectives.size();
    Section("collectives", "per run of the program", table, Shown(count, count), count);
  }

  static std::string GroupsText(const v0::InfoCollective& each) {
    std::string text;
    for (const v0::InfoGroupSize& group : each.group_sizes) {
      if (!text.empty()) text += ", ";
      text += each.opcode == "collective-permute" ? Phrase("{} pairs", group.size)
                                                  : Phrase("of {}", group.size);
      if (each.group_sizes.size() != 1) text += Phrase(" x{}", group.count);
    }
    return text;
  }

  void WriteLoops(const v0::InfoModule& module) {
    if (module.loops.empty()) return;
    TextTable table(Kinds("nrrrn"));
    table.Add({"", "trips", "body", "carries", ""});
    for (const v0::InfoLoop& loop : First(module.loops)) {
      table.Add({Cut(loop.name, kParameterNameWidth),
                 loop.trip_count ? GroupedDigits(*loop.trip_count) : "unknown",
                 GroupedDigits(loop.body_instructions), HumanBytes(loop.carried_bytes),
                 Cut(loop.op_name, kOpNameWidth)});
    }
    Section("loops", "", table, Shown(module.loops.size()), module.loops.size());
  }

  void WriteCustomCalls(const v0::InfoModule& module) {
    if (module.custom_calls.empty()) return;
    TextTable table(Kinds("nrr"));
    for (const v0::InfoSize& call : First(module.custom_calls)) {
      table.Add({Cut(call.name, 60), GroupedDigits(call.count), HumanBytes(call.bytes)});
    }
    Section("custom calls", "target, count, result bytes", table, Shown(module.custom_calls.size()),
            module.custom_calls.size());
  }

  static std::string TallyText(const v0::InfoCount& tally) {
    return Phrase("{} {}", tally.name, GroupedDigits(tally.count));
  }
  static std::string TallyText(const v0::InfoSize& tally) {
    std::string text = TallyText(static_cast<const v0::InfoCount&>(tally));
    if (tally.bytes != 0) text += Phrase(" ({})", HumanBytes(tally.bytes));
    return text;
  }

  template <class Tally>
  void WriteTally(std::string_view label, const std::vector<Tally>& tallies) {
    if (tallies.empty()) return;
    const size_t shown = Shown(tallies.size(), kListed);
    const size_t width = options_.width == 0
                             ? kListWidth
                             : options_.width - std::min(options_.width, kLabelWidth + 3);
    std::string text;
    size_t line_begin = 0;
    for (size_t i = 0; i < shown; ++i) {
      std::string item = TallyText(tallies[i]);
      if (i + 1 != shown || shown != tallies.size()) item += ",";
      if (i != 0) {
        const bool wraps = text.size() - line_begin + item.size() > width;
        text += wraps ? "\n" + std::string(kLabelWidth + 2, ' ') : " ";
        if (wraps) line_begin = text.size();
      }
      text += item;
    }
    if (shown != tallies.size()) text += Phrase(" ... {} more", tallies.size() - shown);
    Line(label, text);
  }

  void WriteLargest(const v0::InfoModule& module) {
    if (module.largest.empty()) return;
    TextTable table(Kinds("rnsn"));
    for (const v0::InfoValue& value : First(module.largest)) {
      table.Add({HumanBytes(value.bytes), Cut(value.name, kParameterNameWidth), Shape(value.shape),
                 Cut(value.op_name, kOpNameWidth)});
    }
    Section("largest", "values except parameters", table, 1, 1);
  }

  void WriteParameters(const v0::InfoModule& module) {
    if (module.parameters.empty()) return;
    // Users look for the large ones; --all keeps the original order.
    std::vector<v0::InfoParameter> parameters = module.parameters;
    if (!options_.all) {
      std::sort(parameters.begin(), parameters.end(),
                [](const v0::InfoParameter& a, const v0::InfoParameter& b) {
                  return a.bytes != b.bytes ? a.bytes > b.bytes : a.number < b.number;
                });
    }
    TextTable table(Kinds("rrsln"));
    for (const v0::InfoParameter& each : First(parameters)) {
      table.Add({std::to_string(each.number), Bytes(each.bytes), Shape(each.shape),
                 each.aliased ? "aliased" : (each.donated ? "donated" : ""),
                 Cut(each.op_name.empty() ? each.name : each.op_name, kOpNameWidth)});
    }
    Section("parameters", ListNote(module.parameters.size(), module.parameter_bytes), table,
            Shown(parameters.size()), parameters.size());
  }

  void WriteOutputs(const v0::InfoModule& module) {
    if (module.outputs.empty()) return;
    std::vector<v0::InfoOutput> outputs = module.outputs;
    if (!options_.all) {
      std::sort(outputs.begin(), outputs.end(),
                [](const v0::InfoOutput& a, const v0::InfoOutput& b) {
                  return a.bytes != b.bytes ? a.bytes > b.bytes : a.index < b.index;
                });
    }
    TextTable table(Kinds("rrsln"));
    for (const v0::InfoOutput& each : First(outputs)) {
      table.Add({Phrase("{{{}}}", fmt::join(each.index, ",")), Bytes(each.bytes), Shape(each.shape),
                 each.aliases_parameter ? Phrase("in parameter {}", *each.aliases_parameter) : "",
                 Cut(each.name, kParameterNameWidth)});
    }
    Section("outputs", ListNote(module.outputs.size(), module.output_bytes), table,
            Shown(outputs.size()), outputs.size());
  }

  [[nodiscard]] std::string ListNote(size_t count, int64_t bytes) const {
    const bool sorted = !options_.all && count > Shown(count);
    return Phrase("{}, {}{}", count, HumanBytes(bytes), sorted ? ", largest first" : "");
  }

  // A heading, the table below it, and how much of the list is not shown.
  void Section(std::string_view label, std::string_view note, const TextTable& table, size_t shown,
               size_t total) {
    out_ += "  " + Bold(label) + (note.empty() ? "" : Phrase(" ({})", note)) + "\n";
    out_ += table.Text(4, options_.width);
    if (shown < total) out_ += Phrase("    ... {} more\n", total - shown);
  }

  [[nodiscard]] size_t Shown(size_t total, size_t usual = kRows) const {
    return options_.all ? total : std::min(total, options_.top.value_or(usual));
  }

  template <class T>
  [[nodiscard]] std::vector<T> First(const std::vector<T>& list, size_t usual = kRows) const {
    return {list.begin(), list.begin() + static_cast<ptrdiff_t>(Shown(list.size(), usual))};
  }

  // With --all, names and shapes continue on the next line instead of losing something.
  [[nodiscard]] std::string Kinds(std::string kinds) const {
    if (options_.all) {
      std::ranges::replace_if(kinds, [](char kind) { return kind == 'n' || kind == 's'; }, 't');
    }
    return kinds;
  }

  // On a terminal, the table fits names and shapes to the space there is.
  [[nodiscard]] std::string Cut(std::string_view text, size_t width) const {
    return options_.all || options_.width != 0 ? std::string(text) : Shortened(text, width);
  }

  [[nodiscard]] std::string Shape(std::string_view shape) const {
    return options_.all || options_.width != 0
               ? std::string(shape)
               : FitShape(shape, kParameterShapeWidth, 1, kPlainEllipsis);
  }

  const InfoTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string InfoText(const FileInfo& file, const InfoTextOptions& options) {
  return InfoWriter(options).Write(file);
}

}  // namespace halo::tool
