// `halo check`: everything the readers found wrong, with the line, a caret and what to do.
#include <memory>

#include <fmt/format.h>

#include "halo/api/check.h"
#include "tools/halo/session.h"

namespace halo::tool {
namespace {

std::string Counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void Run(Session& session) {
  std::vector<CheckedFile> checked;
  size_t errors = 0;
  size_t warnings = 0;
  for (const std::string& path : session.files) {
    session.console.Status(session.files.size() > 1 ? "checking " + path : "");
    checked.push_back(CheckFile(path, session.open_options()));
    const CheckedFile& file = checked.back();
    errors += file.errors;
    warnings += file.warnings;
    if (file.unreadable) session.Worsen(kExitUnusable);
    if (file.errors != 0) session.Worsen(kExitFindings);
    if (session.json) continue;
    for (const Diagnostic& each : file.diagnostics) {
      session.console.Out(RenderDiagnostic(each, file.path, session.console.out_color()));
    }
    const size_t unseen = file.errors + file.warnings - file.diagnostics.size();
    if (unseen != 0) session.console.Out(fmt::format("{}: {} more not shown\n", file.path, unseen));
    // Nothing is kept that a long list of files would pile up.
    checked.back().diagnostics.clear();
  }
  if (session.json) {
    session.console.Out(CheckJson(checked));
    return;
  }
  session.console.Out(fmt::format("{}, {}, {}\n", Counted(session.files.size(), "file"),
                                  Counted(errors, "error"), Counted(warnings, "warning")));
}

}  // namespace

void AddCheckCommand(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("check", "Report what is wrong with files");
  AddCommonOptions(*command, session);
  command->footer(
      "Exit code 1 if there are errors; warnings alone leave it 0.\n\n"
      "Example:\n  halo check module_0000.jit_step.before_optimizations.txt");
  command->callback([&session] { Run(session); });
}

}  // namespace halo::tool
