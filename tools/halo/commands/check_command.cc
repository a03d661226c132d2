// `halo check`: reports everything that is wrong with files, with the line, a caret and advice. Of
// a dump, it reports the files that have problems, and the first errors of each.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/check/check_dump.h"
#include "halo/api/check/check_result.h"
#include "halo/api/check/rules_document.h"
#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/memory/check/violation.h"
#include "tools/halo/commands/check_dump_files.h"
#include "tools/halo/session/dump_inputs.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

struct CheckFlags {
  bool sarif = false;
  bool rules = false;
  v0::CheckRequest asked;
};

// Of each file of a dump: how many errors are printed, and how many notes a document lists.
constexpr size_t kErrorsShown = 3;
constexpr size_t kNotesListed = 100;

std::string Counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void PrintRules(Session& session) {
  if (session.json) return PrintJson(RulesJson(), session);
  TextTable table("llt");
  for (size_t i = 0; i < RuleCount(); ++i) {
    const RuleInfo& info = InfoOf(static_cast<Rule>(i));
    table.Add({std::string(info.text), info.severity == Severity::kError ? "error" : "warning",
               std::string(info.help)});
  }
  for (size_t i = 0; i < FindingKindCount(); ++i) {
    const FindingKindInfo& info = InfoOf(static_cast<FindingKind>(i));
    table.Add({std::string(info.text), "error", std::string(info.help)});
  }
  session.console.Print(table.Text(0, session.console.Width()));
}

// Checks what the command line names, and adds up the results.
class Checker {
 public:
  Checker(const CheckFlags& flags, Session& session)
      : flags_(flags), session_(session), options_(OptionsOf(flags.asked)) {
    options_.open = session.open_options();
  }

  void Check(const std::string& path) {
    if (IsDump(path, session_)) return CheckDump(path);
    session_.console.Status(session_.files.size() > 1 ? "checking " + path : "");
    CheckedFile file = CheckFile(path, options_);
    const bool is_capture = file.kind == FileKind::kHloCapture && path != "-";
    TakeFile(std::move(file));
    if (is_capture) CheckCapture(path);
  }

  void Finish() {
    if (flags_.sarif) return session_.console.Out(CheckSarif(CheckResultOf(files_)));
    if (session_.json) return PrintJson(CheckJson(files_), session_);
    std::string total = fmt::format("{}, {}, {}", Counted(files_.size(), "file"),
                                    Counted(errors_, "error"), Counted(warnings_, "warning"));
    if (unreadable_ != 0) total += fmt::format(", {} unreadable", unreadable_);
    session_.console.Print(total + "\n");
    if (hidden_) session_.console.Print("`halo check FILE` shows everything about a file\n");
  }

 private:
  [[nodiscard]] bool prints_text() const { return !session_.json && !flags_.sarif; }

  void CheckDump(const std::string& path) {
    const Result<Dump> dump = OpenDump(path, session_);
    if (!dump) return TakeUnreadable(path, dump.error());
    DumpCheckOptions which;
    if (session_.choice.is_given()) {
      DumpChoice choice = session_.choice;
      if (choice.module.empty()) choice.module = "all";
      if (choice.stage.empty()) choice.stage = "all";
      Result<Selection> selection = SelectFromDump(*dump, choice);
      if (!selection) return TakeUnreadable(path, selection.error());
      which.only = std::move(selection->chosen);
      which.framed_modules = true;
    }
    // What could not be listed might have been wrong.
    for (const SkippedPath& each : dump->skipped) {
      if (!each.is_unreadable) continue;
      TakeUnreadable(dump->root + "/" + each.path,
                     MakeBinaryDiagnostic(diag::kCannotOpen, 0, "not checked: " + each.why));
    }
    const std::vector<DumpCheckItem> items = ListDumpChecks(*dump, which);
    if (items.empty()) {
      Diagnostic none = MakeBinaryDiagnostic(
          diag::kCannotOpen, 0, "there is no module and no buffer assignment in " + path);
      none.help =
          "a dump is written with XLA_FLAGS=--xla_dump_to=DIR; `halo ls --files` lists every file";
      return TakeUnreadable(path, none);
    }
    CheckDumpFiles(
        *dump, items, options_, [this](CheckedFile file) { TakeDumpFile(std::move(file)); },
        session_);
  }

  // The modules of a capture are checked already; its assignments are not.
  void CheckCapture(const std::string& path) {
    const Result<Dump> dump = IndexDump(path);
    if (!dump || !dump->root_is_file) return;
    CheckDumpFiles(
        *dump, ListDumpChecks(*dump), options_,
        [this](CheckedFile file) { TakeFile(std::move(file)); }, session_);
  }

  void TakeUnreadable(const std::string& path, const Diagnostic& why) {
    CheckedFile file;
    file.path = path;
    file.errors = 1;
    file.unreadable = true;
    file.notes.emplace_back().diagnostic = why;
    TakeFile(std::move(file));
  }

  // Prints everything.
  void TakeFile(CheckedFile file) {
    if (prints_text()) {
      for (const CheckNote& each : file.notes) Print(each, file.path);
      const size_t unseen = file.errors + file.warnings - file.notes.size();
      if (unseen != 0) {
        session_.console.Print(Phrase("{}: {} more not shown\n", file.path, unseen));
      }
    }
    Count(std::move(file));
  }

  // Prints the first errors, and a line about the rest.
  void TakeDumpFile(CheckedFile file) {
    if (prints_text() && file.errors + file.warnings != 0) {
      size_t shown = 0;
      for (const CheckNote& each : file.notes) {
        if (each.diagnostic.severity != Severity::kError || shown == kErrorsShown) continue;
        ++shown;
        Print(each, file.path);
      }
      std::string summary = Phrase("{}: ", file.path);
      if (file.errors != 0) summary += Counted(file.errors, "error");
      if (file.errors != 0 && file.warnings != 0) summary += ", ";
      if (file.warnings != 0) summary += Counted(file.warnings, "warning");
      session_.console.Print(summary + "\n");
      hidden_ |= shown < file.errors + file.warnings;
    }
    if (file.notes.size() > kNotesListed) file.notes.resize(kNotesListed);
    Count(std::move(file));
  }

  void Print(const CheckNote& note, const std::string& path) {
    session_.console.Print(
        RenderDiagnostic(note.diagnostic, note.label(), path, session_.console.out_color()));
  }

  void Count(CheckedFile file) {
    errors_ += file.errors;
    warnings_ += file.warnings;
    if (file.unreadable) ++unreadable_;
    if (file.unreadable) session_.Worsen(kExitUnusable);
    if (file.errors != 0) session_.Worsen(kExitFindings);
    // Drops what would accumulate over a long list of files.
    if (prints_text()) file.notes.clear();
    files_.push_back(std::move(file));
  }

  const CheckFlags& flags_;
  Session& session_;
  CheckOptions options_;
  std::vector<CheckedFile> files_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
  size_t unreadable_ = 0;
  bool hidden_ = false;
};

void RunCheck(const CheckFlags& flags, Session& session) {
  if (flags.rules) return PrintRules(session);
  if (session.files.empty()) throw CLI::RequiredError("FILE");
  Checker checker(flags, session);
  for (const std::string& path : session.files) checker.Check(path);
  checker.Finish();
}

}  // namespace

void AddCheckCommand(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "check",
      "Verify modules and buffer assignments; report errors and warnings with their locations");
  const auto flags = std::make_shared<CheckFlags>();
  AddCommonOptions(*command, session, true, DumpWants::kEverything);
  command->get_option("FILE")->required(false);
  AddRequestOptions(*command, flags->asked);
  command->option_defaults()->group(kOutputOptions);
  auto* sarif = command->add_flag("--sarif", flags->sarif,
                                  "Print the findings as SARIF 2.1.0, for code-review tools");
  sarif->excludes("--json");
  command->add_flag("--rules", flags->rules, "List the verifier's rules and exit");
  command->footer(
      "Of a dump directory, every module and every buffer assignment is checked, an assignment\n"
      "against its module. Each file with problems is listed with its first errors; `halo check "
      "FILE`\n"
      "shows all of them.\n"
      "The exit code is 0 if there are only warnings, 1 if there are errors, 2 if a file cannot be "
      "read.\n\n"
      "Examples:\n"
      "  halo check module_0000.jit_step.before_optimizations.txt\n"
      "  halo check dump");
  command->callback([flags, &session] { RunCheck(*flags, session); });
}

}  // namespace halo::tool
