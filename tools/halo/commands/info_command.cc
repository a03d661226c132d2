// `halo info`: says what files are and what is in them.
#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "halo/api/info/info_document.h"
#include "tools/halo/render/info_text.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

// The most values that the text lists.
constexpr size_t kLargest = 10;
constexpr size_t kAllLargest = 50;

struct InfoFlags {
  bool all = false;
  std::optional<size_t> top;
};

// The text shows the kind of the file, and what to give instead; the document says that there is
// nothing to describe.
void AddWhyUnusable(const Document& document, FileInfo& info) {
  Document unusable = DescriptionOf(document);
  RequireModules(unusable);
  for (const Diagnostic* each : unusable.AllDiagnostics()) info.diagnostics.push_back(*each);
}

void RunInfo(const InfoFlags& options, Session& session) {
  std::vector<FileInfo> files;
  bool first = true;
  for (const std::string& path : session.files) {
    const Document document = Open(path, session.open_options(), session);
    const size_t largest = options.all ? kAllLargest : kLargest;
    FileInfo info = DescribeFile(document, {.largest = std::max(largest, options.top.value_or(0))});
    if (!document.diagnostics.ok()) {
      session.Worsen(kExitUnusable);
      if (!session.json) Complain(document, session);
    } else if (!IsDumpKind(document.kind)) {
      session.Worsen(kExitUnusable);
      AddWhyUnusable(document, info);
    } else if (info.errors != 0) {
      session.Worsen(kExitFindings);
    }
    if (session.json) {
      files.push_back(std::move(info));
      continue;
    }
    if (!document.diagnostics.ok()) continue;
    if (!first) session.console.Out("\n");
    first = false;
    session.console.Print(InfoText(info, {.all = options.all,
                                          .top = options.top,
                                          .width = session.console.Width(),
                                          .color = session.console.out_color()}));
  }
  if (session.json) PrintJson(InfoJson(files), session);
}

}  // namespace

void AddInfoCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<InfoFlags>();
  CLI::App* command = app.add_subcommand("info", "Show what a file is and what is in it");
  AddCommonOptions(*command, session);
  command->option_defaults()->group(kOutputOptions);
  CLI::Option* all = command->add_flag("--all", options->all, "Print complete lists and names");
  command
      ->add_option("--top", options->top,
                   "Number of rows in each table and of entries in each list")
      ->check(CLI::Range(size_t{1}, size_t{100000}))
      ->excludes(all);
  command->footer(
      "The exit code is 1 if a module has errors, 2 if a file cannot be opened or is nothing that "
      "XLA dumps.\n\n"
      "Examples:\n"
      "  halo info module_0000.jit_f.sm_9.0_gpu_after_optimizations.txt\n"
      "  halo info --json *.hlo.pb");
  command->callback([options, &session] { RunInfo(*options, session); });
}

}  // namespace halo::tool
