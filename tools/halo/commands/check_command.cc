// `halo check`: reports everything that is wrong with files, with the line, a caret and advice.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/check/check_document.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

struct CheckFlags {
  bool sarif = false;
  bool rules = false;
  bool no_warnings = false;
  bool no_rules = false;
};

std::string Counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void PrintRules(Session& session) {
  if (session.json) {
    session.console.Out(RulesJson());
    return;
  }
  TextTable table("llt");
  for (size_t i = 0; i < RuleCount(); ++i) {
    const RuleInfo& info = InfoOf(static_cast<Rule>(i));
    table.Add({std::string(info.text), info.severity == Severity::kError ? "error" : "warning",
               std::string(info.help)});
  }
  session.console.Print(table.Text(0, session.console.Width()));
}

void RunCheck(const CheckFlags& flags, Session& session) {
  if (flags.rules) {
    PrintRules(session);
    return;
  }
  if (session.files.empty()) throw CLI::RequiredError("FILE");
  std::vector<CheckedFile> checked;
  size_t errors = 0;
  size_t warnings = 0;
  for (const std::string& path : session.files) {
    session.console.Status(session.files.size() > 1 ? "checking " + path : "");
    checked.push_back(CheckFile(path, {.open = session.open_options(),
                                       .warnings = !flags.no_warnings,
                                       .rules = !flags.no_rules}));
    const CheckedFile& file = checked.back();
    errors += file.errors;
    warnings += file.warnings;
    if (file.unreadable) session.Worsen(kExitUnusable);
    if (file.errors != 0) session.Worsen(kExitFindings);
    if (session.json || flags.sarif) continue;
    for (const CheckNote& each : file.notes) {
      session.console.Print(
          RenderDiagnostic(each.diagnostic, each.label(), file.path, session.console.out_color()));
    }
    const size_t unseen = file.errors + file.warnings - file.notes.size();
    if (unseen != 0)
      session.console.Print(fmt::format("{}: {} more not shown\n", file.path, unseen));
    // Drops what would accumulate over a long list of files.
    checked.back().notes.clear();
  }
  if (session.json || flags.sarif) {
    session.console.Out(flags.sarif ? CheckSarif(checked) : CheckJson(checked));
    return;
  }
  session.console.Print(fmt::format("{}, {}, {}\n", Counted(session.files.size(), "file"),
                                    Counted(errors, "error"), Counted(warnings, "warning")));
}

}  // namespace

void AddCheckCommand(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "check", "Verify modules and report errors and warnings with their locations");
  const auto flags = std::make_shared<CheckFlags>();
  AddCommonOptions(*command, session);
  command->get_option("FILE")->required(false);
  command->option_defaults()->group("Checks");
  command->add_flag("--no-warnings", flags->no_warnings, "Report errors only");
  command->add_flag("--no-rules", flags->no_rules,
                    "Report syntax errors only; do not run the verifier");
  command->option_defaults()->group(kOutputOptions);
  auto* sarif = command->add_flag("--sarif", flags->sarif,
                                  "Print the findings as SARIF 2.1.0, for code-review tools");
  sarif->excludes("--json");
  command->add_flag("--rules", flags->rules, "List the verifier's rules and exit");
  command->footer(
      "The exit code is 1 if there are errors and 0 if there are only warnings.\n\n"
      "Example:\n  halo check module_0000.jit_step.before_optimizations.txt");
  command->callback([flags, &session] { RunCheck(*flags, session); });
}

}  // namespace halo::tool
