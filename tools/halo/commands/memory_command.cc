// `halo memory`: shows where the memory goes, whether it fits, and what would help.
#include <cctype>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/memory/memory.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/text/write_assignment.h"
#include "tools/halo/render/memory_text.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"
#include "tools/halo/session/usage_error.h"

namespace halo::tool {
namespace {

struct MemoryFlags {
  bool plan = false;
  bool advice = false;
  bool no_advice = false;
  bool drop_alias = false;
  bool csv = false;
  bool print = false;
  bool ascii = false;
  bool unicode = false;
  bool all = false;
  bool check = false;
  bool repack = false;
  double seconds = 10;
  std::string style;
  std::string backend;
  std::string device;
  std::string capacity;
  std::string by;
  std::string around;
  std::optional<int64_t> at;
  std::optional<int64_t> alignment;
  std::vector<int64_t> donate;
  std::string recompute, earlier, later, bf16, unpad;
  size_t top = 10;
};

MemoryRequest RequestOf(const MemoryFlags& options, const Session& session) {
  MemoryRequest request;
  request.files = session.files;
  request.open = session.open_options();
  request.plan = options.plan;
  request.drop_alias = options.drop_alias;
  request.change = {.donate = options.donate,
                    .recompute = SplitNames(options.recompute),
                    .earlier = SplitNames(options.earlier),
                    .later = SplitNames(options.later),
                    .bf16 = SplitNames(options.bf16),
                    .unpad = SplitNames(options.unpad)};
  request.device = options.device;
  request.alignment = options.alignment;
  if (!options.backend.empty()) request.backend = BackendFromName(options.backend);
  if (!options.capacity.empty()) request.capacity = BytesFromText(options.capacity);
  request.explain.at = options.at;
  request.explain.around = options.around;
  request.explain.by = GroupByFromText(options.by);
  request.role_profile = options.csv;
  request.check = options.check;
  request.repack = options.repack;
  request.repack_seconds = options.seconds;
  if (options.advice) request.advice = AdviceDepth::kThorough;
  if (options.no_advice || options.csv || options.print || options.repack) {
    request.advice = AdviceDepth::kNone;
  }
  return request;
}

void ComplainAll(const MemoryResult& result, Session& session) {
  for (const Document& document : result.inputs.documents) {
    for (const Diagnostic* each : document.AllDiagnostics()) Refuse(*each, document.path, session);
  }
  const std::string& path = result.inputs.documents.front().path;
  for (const Diagnostics* list : {&result.inputs.diagnostics, &result.diagnostics}) {
    for (const Diagnostic& each : list->all()) Refuse(each, path, session);
  }
}

void PrintAssignment(const MemoryFlags& options, const MemoryResult& result, Session& session) {
  const AssignmentStyle style =
      AssignmentStyleFromText(options.style)
          .value_or(result.is_planned ? AssignmentStyle() : result.assignment.style);
  TextBuffer out;
  WriteAssignment(result.assignment, style, AssignmentPieces::All(), out);
  session.console.Out(out.view());
}

void RunMemory(const MemoryFlags& options, Session& session) {
  const MemoryResult result = AnalyzeMemory(RequestOf(options, session));
  if (!result.succeeded) {
    ComplainAll(result, session);
    session.Worsen(kExitUnusable);
    return;
  }
  if (!result.fits()) session.Worsen(kExitFindings);
  if (result.findings && !result.findings->ok()) session.Worsen(kExitFindings);
  if (options.print) {
    PrintAssignment(options, result, session);
  } else if (options.csv) {
    session.console.Out(MemoryCsv(result));
  } else if (session.json) {
    PrintJson(MemoryJson(result, options.top), session);
  } else {
    const bool ascii = options.ascii || (!options.unicode && !session.console.out_terminal());
    session.console.Print(MemoryText(result, {.top = options.top,
                                              .width = session.console.Width(),
                                              .color = session.console.out_color(),
                                              .ascii = ascii,
                                              .full = options.all}));
  }
}

// Changes that advice names; each is planned again.
void AddChangeOptions(CLI::App& command, MemoryFlags& options) {
  command.add_option("--recompute", options.recompute,
                     "Assume that these instructions are computed again for their uses after the "
                     "peak (names separated by commas)");
  command.add_option("--earlier", options.earlier,
                     "Assume that these instructions run as soon as their operands exist");
  command.add_option("--later", options.later,
                     "Assume that these instructions run right before their first use");
  command.add_option("--bf16", options.bf16,
                     "Assume that these f32 activations of the peak, or all, are kept in bf16");
  command.add_option("--unpad", options.unpad,
                     "Assume that these values of the peak, or all, have no padding");
}

std::string DeviceNames() {
  std::string names;
  for (const MemoryDevice& device : MemoryDevices()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", device.name);
  }
  return names;
}

}  // namespace

void AddMemoryCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<MemoryFlags>();
  CLI::App* command = app.add_subcommand(
      "memory",
      "Explain a program's memory: what is live at the peak, whether it fits, how to reduce it");
  command->option_defaults()->group("What to show");
  AddCommonOptions(*command, session);
  command->option_defaults()->group("Moment and grouping");
  command->add_option("--at", options->at,
                      "Show what is live at this position of the schedule (default: the peak)");
  command->add_option("--around", options->around, "Show what is live while this instruction runs");
  command
      ->add_option("--by", options->by,
                   "Group live values by scope, source, opcode, dtype, shape or kind (default: "
                   "scope, or another if scopes do not divide them)")
      ->check(CLI::IsMember({"scope", "source", "opcode", "dtype", "shape", "kind"}));
  command->option_defaults()->group(kOutputOptions);
  command->add_option("--top", options->top, "Number of rows in each list")
      ->check(CLI::Range(size_t{1}, size_t{100000}))
      ->capture_default_str();
  command->add_flag("--all", options->all, "Print complete names");
  CLI::Option* csv =
      command->add_flag("--csv", options->csv, "Print the bytes of each kind over time as CSV");
  CLI::Option* print =
      command->add_flag("--print", options->print, "Print the buffer assignment in XLA's format");
  const std::span<const std::string_view> styles = AssignmentStyleTexts();
  command
      ->add_option("--style", options->style,
                   "With --print: the format that XLA used from this month on")
      ->check(CLI::IsMember(std::vector<std::string>(styles.begin(), styles.end())));
  command->add_flag("--ascii", options->ascii,
                    "Draw with ASCII characters (default when not writing to a terminal)");
  command->add_flag("--unicode", options->unicode,
                    "Draw with Unicode blocks (default on a terminal)");
  command->option_defaults()->group("Analysis");
  CLI::Option* advice =
      command->add_flag("--advice", options->advice, "Try all ways to reduce memory");
  command->add_flag("--no-advice", options->no_advice, "Do not search for ways to reduce memory")
      ->excludes(advice);
  command->add_flag("--check", options->check, "Verify that the buffer assignment is sound");
  command->add_flag("--repack", options->repack, "Pack the heaps again, as tightly as possible");
  command
      ->add_option("--seconds", options->seconds,
                   "With --repack: time limit for each heap, in seconds")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  command->option_defaults()->group("Assumptions");
  command->add_flag("--plan", options->plan,
                    "Compute a new plan even if the dump contains a buffer assignment");
  command
      ->add_option("--donate", options->donate,
                   "Assume that these parameters are donated (numbers separated by commas)")
      ->delimiter(',');
  command->add_flag("--drop-alias", options->drop_alias, "Assume that no parameter is donated");
  AddChangeOptions(*command, *options);
  command
      ->add_option("--backend", options->backend,
                   "Plan by the rules of this backend (default: detected from the module)")
      ->check(CLI::IsMember({"cpu", "gpu", "tpu"}));
  std::vector<std::string> names;
  for (const MemoryDevice& device : MemoryDevices()) names.emplace_back(device.name);
  command
      ->add_option("--device", options->device,
                   "Use the memory capacity and alignment of this device: " + DeviceNames())
      ->check([names](const std::string& name) { return NoSuchDevice(name, names); });
  command
      ->add_option("--alignment", options->alignment,
                   "Alignment of offsets in the plan, in bytes (default: that of the backend)")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const auto bytes = BytesFromText(text);
            const bool is_power = bytes && *bytes > 0 && (*bytes & (*bytes - 1)) == 0;
            return is_power ? std::string() : "an alignment must be a power of two";
          },
          "POWER_OF_2"));
  command
      ->add_option("--capacity", options->capacity,
                   "Report whether the program fits in this much memory, such as 80GiB, or a "
                   "number of bytes")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return BytesFromText(text) ? std::string() : "a size is written as 80GiB, 16GB or 4096";
          },
          "SIZE"));
  csv->excludes(print)->excludes("--json");
  print->excludes("--json");
  command->footer(
      "FILE is a module, its buffer assignment, or both. If the buffer assignment is next to the "
      "module in\n"
      "a dump directory, it is used too. Without an assignment halo plans the memory as XLA "
      "would.\n"
      "The exit code is 1 if the program does not fit the capacity or the assignment is not sound, "
      "2 if\n"
      "the input cannot be analyzed.\n\n"
      "Examples:\n"
      "  halo memory module_0000.jit_step.gpu_after_optimizations.txt --device h100\n"
      "  halo memory step.txt --donate 0,1 --by source\n"
      "  halo memory step.txt --recompute fusion.17\n"
      "  halo memory step.txt --csv > profile.csv");
  command->callback([options, &session] { RunMemory(*options, session); });
}

}  // namespace halo::tool
