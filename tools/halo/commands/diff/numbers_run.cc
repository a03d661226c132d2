// Says which files the guarded process reads and writes, runs, and prints.
#include "tools/halo/commands/diff/numbers_run.h"

#include <filesystem>
#include <optional>

#include <CLI/CLI.hpp>

#include "halo/api/numbers/broken_pass_document.h"
#include "halo/api/numbers/numbers_document.h"
#include "halo/api/numbers/reproducer.h"
#include "halo/api/run/run_request.h"
#include "halo/base/strings/human_size.h"
#include "tools/halo/render/numbers_text.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

constexpr uint64_t kDefaultSeed = 1;

// CLI11 has checked the values, so that the conversion succeeds.
NumbersRequest RequestOf(const NumbersFlags& flags, const Session& session) {
  NumbersRequest request;
  Result<RunRequest> run = halo::RequestOf(flags.asked);
  if (run.ok()) request.run = *std::move(run);
  request.run.open = session.open_options();
  if (!request.run.random && request.run.inputs.empty()) request.run.random = kDefaultSeed;
  return request;
}

// Writes before.txt, after.txt and inputs.npz.
void WriteReproducer(const std::string& folder, const Reproducer& made, Session& session) {
  const std::filesystem::path to(folder);
  if (!WriteFile((to / "before.txt").string(), made.before, session)) return;
  if (!WriteFile((to / "after.txt").string(), made.after, session)) return;
  WriteFileInPieces((to / "inputs.npz").string(),
                    [&](const ByteSink& take) { return WriteInputs(made.inputs, take); }, session);
  if (session.json) return;
  session.console.Err(made.new_bytes == made.bytes
                          ? Phrase("{}: both programs, not shrunk\n", folder)
                          : Phrase("{}: both programs, shrunk from {} to {}\n", folder,
                                   HumanBytes(made.bytes), HumanBytes(made.new_bytes)));
}

void MakeFolder(const std::string& folder) {
  std::error_code ignored;  // writing will say so
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
}

void ComplainOfNumbers(const Diagnostics& diagnostics, const std::string& path, Session& session) {
  session.Worsen(kExitUnusable);
  if (session.json) return;
  for (const Diagnostic& each : diagnostics.all()) Refuse(each, path, session);
}

void ShowSandbox(Session& session) { session.console.Err(SandboxText(*session.sandbox) + "\n"); }

GuardedWork GuardOf(const char* name, const NumbersFlags& flags, std::vector<std::string> reads) {
  GuardedWork guarded;
  guarded.name = name;
  guarded.input = reads.front();
  guarded.reads = std::move(reads);
  const std::vector<std::string>& inputs = flags.asked.input_files;
  guarded.reads.insert(guarded.reads.end(), inputs.begin(), inputs.end());
  guarded.folder = flags.reproducer;
  MakeFolder(flags.reproducer);
  return guarded;
}

}  // namespace

void AddNumbersOptions(CLI::App& command, NumbersFlags& flags, bool has_states) {
  CLI::Option* run =
      command
          .add_flag("--run", flags.run,
                    has_states ? "Run the states on the same inputs and find the pass after which "
                                 "results differ"
                               : "Run both programs on the same inputs and find the first value "
                                 "that differs")
          ->group("Running");
  if (has_states) {
    command.add_flag("--every", flags.every, "Run every state instead of bisecting")
        ->needs(run)
        ->group("Running");
  }
  command
      .add_option("--reproducer", flags.reproducer,
                  "Write the two programs that differ, shrunk, and their inputs to this folder")
      ->type_name("DIR")
      ->needs(run)
      ->group("Running");
  AddInputOptions(command, flags.asked);
  AddLimitOptions(command, flags.limits);
}

void RunNumbers(NumbersFlags& flags, Session& session) {
  GuardedWork guarded = GuardOf("halo diff", flags, session.files);
  guarded.work = [&](const std::function<void()>& has_result) {
    const NumbersRequest request = RequestOf(flags, session);
    const Document before = Open(session.files[0], session.open_options(), session);
    const Document after = Open(session.files[1], session.open_options(), session);
    NumbersResult result = CompareNumbers(before, after, request);
    result.sandbox = session.sandbox;
    std::optional<Reproducer> made;
    if (!flags.reproducer.empty() && result.first) {
      made = MakeReproducer(before, after, request, result);
    }
    has_result();
    if (!result.refused.empty()) {
      ComplainOfNumbers(result.diagnostics, result.failed, session);
      if (result.diagnostics.all().empty() && !session.json) {
        session.console.Err(Phrase("not compared: {}\n", result.refused));
      }
    } else if (!result.agrees()) {
      session.Worsen(kExitFindings);
    }
    if (made) WriteReproducer(flags.reproducer, *made, session);
    if (session.json) return PrintJson(NumbersJson(result, before, after), session);
    if (result.refused.empty()) session.console.Print(NumbersText(result));
    ShowSandbox(session);
  };
  RunGuarded(flags.limits, guarded, session);
}

void RunBrokenPass(NumbersFlags& flags, const std::string& path, const std::string& module,
                   const std::vector<PassState>& states, Session& session) {
  std::vector<std::string> reads = {path};
  for (const PassState& state : states) reads.push_back(state.path);
  GuardedWork guarded = GuardOf("halo passes", flags, std::move(reads));
  guarded.work = [&](const std::function<void()>& has_result) {
    const NumbersRequest request = RequestOf(flags, session);
    BrokenPass result = FindBrokenPass(states, request, flags.every);
    result.module = module;
    result.sandbox = session.sandbox;
    std::optional<Reproducer> made;
    if (!flags.reproducer.empty() && result.between.first) {
      const Document before = OpenDocument(result.good->path, session.open_options());
      const Document after = OpenDocument(result.bad->path, session.open_options());
      made = MakeReproducer(before, after, request, result.between);
    }
    has_result();
    if (!result.refused.empty()) {
      ComplainOfNumbers(result.diagnostics, path, session);
      if (!session.json) {
        session.console.Err(Phrase("{}: {}\n", path, result.refused));
      }
    } else if (!result.agrees()) {
      session.Worsen(kExitFindings);
    }
    if (made) WriteReproducer(flags.reproducer, *made, session);
    if (session.json) return PrintJson(BrokenPassJson(result, path), session);
    if (result.refused.empty()) session.console.Print(BrokenPassText(result));
    ShowSandbox(session);
  };
  RunGuarded(flags.limits, guarded, session);
}

}  // namespace halo::tool
