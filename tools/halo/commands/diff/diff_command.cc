// `halo diff`: says whether two programs are the same and what changed, the largest changes first.
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/diff/diff_document.h"
#include "halo/api/passes/passes_document.h"
#include "halo/base/parallel.h"
#include "halo/base/strings/human_size.h"
#include "halo/dump/select.h"
#include "tools/halo/commands/diff/diff_folder.h"
#include "tools/halo/commands/diff/diff_gate.h"
#include "tools/halo/commands/diff/numbers_run.h"
#include "tools/halo/guard/guarded_work.h"
#include "tools/halo/render/diff_text.h"
#include "tools/halo/render/passes_text.h"
#include "tools/halo/session/dump_inputs.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/option_fields.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

struct DiffFlags {
  v0::DiffRequest asked;
  size_t top = 12;
  bool passes = false;
  NumbersFlags numbers;
  GateFlags gate;
  FolderFlags folder;
};

// Compares two compilations pass by pass.
void RunPassDiff(const DiffFlags& flags, Session& session) {
  std::vector<std::vector<PassState>> states;
  for (const std::string& path : session.files) {
    const Result<Dump> dump = OpenDump(path, session);
    if (!dump) return Refuse(dump.error(), path, session);
    const Result<Selection> selection = SelectFromDump(*dump, session.choice);
    if (!selection) return Refuse(selection.error(), path, session);
    const auto module = static_cast<size_t>(selection->chosen.front().module);
    states.push_back(StatesOf(*dump, dump->modules[module]));
  }
  const PassDiff diff = ComparePasses(states[0], states[1], session.open_options());
  if (!diff.refused.empty()) {
    session.Worsen(kExitUnusable);
    if (!session.json) session.console.Err(Phrase("not compared: {}\n", diff.refused));
  } else if (!diff.same()) {
    session.Worsen(kExitFindings);
  }
  if (session.json) {
    return PrintJson(PassDiffJson(diff, session.files[0], session.files[1], flags.top), session);
  }
  if (diff.refused.empty()) {
    session.console.Print(PassDiffText(diff, flags.top, session.console.Width()));
  }
}

void RunValueDiff(const DiffFlags& flags, const std::function<void()>& has_result,
                  Session& session) {
  std::vector<Document> documents(2);
  // Both are read at the same time, unless they come from one stream.
  const bool parallel = session.files[0] != "-" && session.files[1] != "-";
  session.console.Status("reading both programs");
  ParallelFor(2, 1, parallel, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<size_t>(i);
      documents[at] = OpenDocument(session.files[at], session.open_options());
    }
  });
  session.console.Status("");
  for (Document& document : documents) {
    RequireModules(document);
    if (!session.json) Complain(document, session);
  }
  const ProgramDiff diff = DiffDocuments(documents[0], documents[1], flags.asked.device);
  has_result();
  if (!diff.refused.empty()) {
    session.Worsen(kExitUnusable);
    if (!session.json) session.console.Err(Phrase("not compared: {}\n", diff.refused));
  } else if (!diff.same) {
    session.Worsen(kExitFindings);
  }
  if (session.json) {
    return PrintJson(DiffJson(documents[0], documents[1], diff, flags.top), session);
  }
  if (diff.refused.empty()) {
    session.console.Print(CausesText(diff, flags.top, session.console.Width()));
    if (diff.peak != nullptr) {
      session.console.Print(PeakText(*diff.peak, flags.top, session.console.Width()));
    } else if (!diff.no_peak.empty()) {
      session.console.Err(Phrase("memory not compared: {}\n", diff.no_peak));
    }
    if (diff.step != nullptr) {
      session.console.Print(StepText(*diff.step, flags.top, session.console.Width()));
    }
  }
}

void RunDiff(DiffFlags& flags, Session& session) {
  const bool of_folder = WantsFolderDiff(flags.folder, session);
  if (!of_folder && session.files.size() != 2) {
    throw CLI::ValidationError(
        "FILE", session.files.empty()
                    ? "no programs to compare; name the earlier one and the later one"
                    : "compare it with what? Name the earlier program and the later one; `halo "
                      "passes` shows what changed within one dump");
  }
  const bool is_gated = !of_folder && WantsGate(flags.gate, session);
  // Running programs has separate limits.
  if (flags.numbers.run && !of_folder && !is_gated && !flags.passes) {
    return RunNumbers(flags.numbers, session);
  }
  GuardedWork guarded;
  guarded.name = "halo diff";
  guarded.input = of_folder ? FolderOf(flags.folder) : session.files.front();
  guarded.work = [&](const std::function<void()>& has_result) {
    if (of_folder) return RunFolderDiff(flags.folder, flags.top, session);
    if (is_gated) return RunGate(flags.gate, flags.asked.device, session);
    if (flags.passes) return RunPassDiff(flags, session);
    RunValueDiff(flags, has_result, session);
  };
  RunLimited(flags.numbers.limits, guarded, session);
}

void AddGateOptions(CLI::App& command, GateFlags& gate) {
  command
      .add_option("--fail-on", gate.rules,
                  "Exit with 1 only if one of these rules, separated by commas, is broken: "
                  "peak>+1%, memory>16GiB, time>+3%, copies>+0, new:all-gather, new:copy>64MiB, "
                  "changed")
      ->type_name("RULES")
      ->group("Rules");
  command
      .add_flag("--markdown", gate.markdown,
                "Print a comment for a pull request: Markdown, at most 60 lines")
      ->group(kOutputOptions);
}

}  // namespace

void AddDiffCommand(CLI::App& app, Session& session) {
  const auto flags = std::make_shared<DiffFlags>();
  CLI::App* command = app.add_subcommand(
      "diff", "Say whether two programs are the same, and what changed between them");
  AddCommonOptions(*command, session, true, DumpWants::kModule);
  command->get_option("FILE")->required(false)->expected(0, 2);
  command->add_option("--top", flags->top, "Number of changes to show, the largest first")
      ->capture_default_str()
      ->group(kOutputOptions);
  AddGateOptions(*command, flags->gate);
  AddFolderOptions(*command, flags->folder);
  AddNumbersOptions(*command, flags->numbers, false);
  AddRequestOptions(*command, flags->asked);
  command
      ->add_flag("--passes", flags->passes,
                 "Compare two dumps pass by pass: the last state at which both are equal, the "
                 "first that differs, and what that pass did in each")
      ->group(kInputOptions);
  command->parse_complete_callback([flags, &session] {
    ResolveDumps(session, flags->passes ? DumpWants::kEverything : DumpWants::kModule, true);
  });
  command->footer(
      "Values are compared, not lines: names, numbers, metadata and the order of instructions do "
      "not\n"
      "count, nor do fusions, copies, bitcasts and tuples; these are compared separately for the "
      "values\n"
      "that both programs have.\n"
      "With --run, the results on the same inputs are compared instead (generated ones if none are "
      "given);\n"
      "a difference counts if it is larger than that of runs on inputs moved by one step.\n"
      "The exit code is 0 if the programs are the same, 1 if anything differs, 2 if one cannot be "
      "read.\n"
      "With --fail-on it is 0 if every rule holds, 1 if one is broken, 2 if one cannot be checked. "
      "A or B may\n"
      "be a file that `halo snapshot` wrote.\n\n"
      "Examples:\n"
      "  halo diff before.txt after.txt\n"
      "  halo diff dump_0.9.0 dump_0.10.2.tar.zst --top 50\n"
      "  halo diff dump_a dump_b --stage before --json\n"
      "  halo diff dump_a dump_b --passes\n"
      "  halo diff step.halo.json dump --fail-on 'peak>+1%,new:all-gather' --markdown\n"
      "  halo diff before.txt after.txt --run --inputs in.npz\n"
      "  halo diff --ranks dumps_of_all_ranks\n"
      "  halo diff --recompiles dump");
  command->callback([flags, &session] { RunDiff(*flags, session); });
}

}  // namespace halo::tool
