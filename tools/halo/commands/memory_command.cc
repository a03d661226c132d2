// `halo memory`: shows where the memory goes, whether it fits, and what would help.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/memory/memory_document.h"
#include "halo/api/memory/memory_request.h"
#include "halo/memory/text/write_assignment.h"
#include "tools/halo/render/memory_text.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

// How the result is printed; what is asked is the request.
struct MemoryFlags {
  v0::MemoryRequest asked;
  bool csv = false;
  bool print = false;
  bool ascii = false;
  bool unicode = false;
  bool all = false;
  std::string style;
  size_t top = 10;
};

Result<MemoryRequest> RequestOf(const MemoryFlags& options, const Session& session) {
  v0::MemoryRequest asked = options.asked;
  // Neither form shows advice.
  if (options.csv || options.print) asked.advice = "none";
  Result<MemoryRequest> request = halo::RequestOf(asked);
  if (!request.ok()) return request;
  request->files = session.files;
  request->open = session.open_options();
  request->role_profile = options.csv;
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
  const Result<MemoryRequest> request = RequestOf(options, session);
  if (!request.ok()) return Refuse(request.error(), "", session);
  const MemoryResult result = AnalyzeMemory(*request);
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

}  // namespace

void AddMemoryCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<MemoryFlags>();
  CLI::App* command = app.add_subcommand(
      "memory",
      "Explain a program's memory: what is live at the peak, whether it fits, how to reduce it");
  command->option_defaults()->group("What to show");
  AddCommonOptions(*command, session);
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
  AddRequestOptions(*command, options->asked);
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
