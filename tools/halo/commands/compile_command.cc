// `halo compile`: shows a module as this engine compiles it, in the files that XLA's CPU backend
// would dump.
#include <filesystem>
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/run/compile_document.h"
#include "halo/base/strings/human_size.h"
#include "halo/plugins/load_engine.h"
#include "tools/halo/guard/guarded_work.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

struct CompileFlags {
  std::string folder;
  std::vector<std::string> without;
  bool decisions = false;
  WorkLimits limits;
};

bool WriteDocuments(const CompiledProgram& program, const std::string& folder, Session& session) {
  for (const CompiledDocument& each : program.documents) {
    const std::filesystem::path path = std::filesystem::path(folder) / each.name;
    if (!WriteFile(path.string(), each.text, session)) return false;
  }
  return true;
}

void ShowCompile(const CompiledProgram& program, const CompileFlags& options, Session& session) {
  for (const std::string& decision : program.decisions) {
    session.console.Print(Phrase("{}\n", decision));
  }
  if (options.folder.empty()) {
    if (!options.decisions) session.console.Out(program.documents[1].text);
    return;
  }
  session.console.Print(Phrase(
      "{}: {} instructions, now {}; {} fusions, {} copies; {} in all, {} of it for temporaries\n",
      program.name, program.instructions_before, program.instructions, program.fusions,
      program.copies, HumanBytes(program.total_bytes), HumanBytes(program.heap_bytes)));
  for (const CompiledDocument& each : program.documents) {
    session.console.Print(Phrase("  {}\n", each.name));
  }
}

void CompileAndShow(const CompileFlags& options, CompiledEngine& engine,
                    const std::function<void()>& has_result, Session& session) {
  CompileRequest request;
  request.file = session.files.front();
  request.open = session.open_options();
  request.without = options.without;
  request.wants_decisions = options.decisions;
  const CompileResult result = engine.Compile(request);
  has_result();
  if (!result.ok()) session.Worsen(kExitUnusable);
  if (!session.json) {
    Complain(result.document, session);
    for (const Diagnostic& each : result.diagnostics.all()) {
      session.console.Err(
          RenderDiagnostic(each, result.document.path, session.console.err_color()));
    }
  }
  for (const CompiledProgram& program : result.programs) {
    if (!options.folder.empty() && !WriteDocuments(program, options.folder, session)) return;
    if (!program.unsound.empty()) {
      session.Worsen(kExitFindings);
      session.console.Err(
          Phrase("{}: its memory plan is not sound: {}\n", program.name, program.unsound));
    }
    if (!session.json) ShowCompile(program, options, session);
  }
  if (session.json) PrintJson(CompileJson(result, options.folder), session);
}

void RunCompile(const CompileFlags& options, Session& session) {
  std::error_code failed;
  if (!options.folder.empty()) std::filesystem::create_directories(options.folder, failed);
  if (failed) {
    return Refuse(kCannotWrite, fmt::format("{}: {}", options.folder, failed.message()), session);
  }
  const LoadedEngine loaded = LoadEngine();
  if (loaded.engine == nullptr) {
    return Refuse(kNoEngine, "halo compile: " + loaded.problem, session);
  }
  GuardedWork guarded;
  guarded.name = "halo compile";
  guarded.input = session.files.front();
  guarded.folder = options.folder;
  guarded.work = [&](const std::function<void()>& has_result) {
    CompileAndShow(options, *loaded.engine, has_result, session);
  };
  RunGuarded(options.limits, guarded, session);
}

}  // namespace

void AddCompileCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<CompileFlags>();
  CLI::App* command = app.add_subcommand(
      "compile", "Compile a module for this CPU and write the files that XLA would dump");
  AddCommonOptions(*command, session, false, DumpWants::kProto);
  command->option_defaults()->group(kOutputOptions);
  command
      ->add_option("--dump-to", options->folder,
                   "Folder for the module, its buffer assignment, live ranges and memory report "
                   "(default: print the compiled module)")
      ->type_name("DIR");
  command->add_flag("--decisions", options->decisions, "Print what the passes changed, and why");
  command->option_defaults()->group("Engine");
  command->add_option("--without", options->without, "Passes to skip, separated by commas")
      ->delimiter(',');
  AddLimitOptions(*command, options->limits);
  command->footer(
      "Examples:\n"
      "  halo compile module_0000.jit_step.before_optimizations.txt --dump-to dump\n"
      "  halo memory dump/*cpu_after_optimizations.txt dump/*-buffer-assignment*.txt "
      "dump/*-live-range.txt");
  command->callback([options, &session] { RunCompile(*options, session); });
}

}  // namespace halo::tool
