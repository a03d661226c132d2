// `halo passes`: what each pass of a compilation did, and where an instruction came from.
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/passes/passes_document.h"
#include "halo/dump/select.h"
#include "tools/halo/commands/diff/numbers_run.h"
#include "tools/halo/render/passes_text.h"
#include "tools/halo/session/dump_inputs.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

struct PassesFlags {
  std::string follow;
  NumbersFlags numbers;
};

// What the passes did; with --run, which one changed the results.
void ShowPasses(PassesFlags& flags, const std::function<void()>& has_result, Session& session) {
  const std::string path = session.files.front();
  const Result<Dump> dump = OpenDump(path, session);
  if (!dump) return Refuse(dump.error(), path, session);
  const Result<Selection> selection = SelectFromDump(*dump, session.choice);
  if (!selection) return Refuse(selection.error(), path, session);
  const auto module = static_cast<size_t>(selection->chosen.front().module);
  if (flags.numbers.run) {
    const DumpModule& chosen = dump->modules[module];
    return RunBrokenPass(flags.numbers, path, chosen.name, StatesOf(*dump, chosen), session);
  }
  const PassesResult result =
      ListPasses(*dump, dump->modules[module], flags.follow, session.open_options());
  has_result();
  if (!result.refused.empty()) session.Worsen(kExitUnusable);
  if (session.json) return PrintJson(PassesJson(result, path), session);
  for (const std::string& each : result.unreadable) {
    session.console.Err(Phrase("{}: cannot be read; left out\n", each));
  }
  if (!result.refused.empty()) {
    return session.console.Err(Phrase("{}: {}\n", path, result.refused));
  }
  const size_t width = session.console.Width();
  session.console.Print(flags.follow.empty() ? PassesText(result, width)
                                             : FollowText(result, width));
}

void RunPasses(PassesFlags& flags, Session& session) {
  // Running programs has separate limits.
  if (flags.numbers.run) return ShowPasses(flags, [] {}, session);
  GuardedWork guarded;
  guarded.name = "halo passes";
  guarded.input = session.files.front();
  guarded.work = [&](const std::function<void()>& has_result) {
    ShowPasses(flags, has_result, session);
  };
  RunLimited(flags.numbers.limits, guarded, session);
}

}  // namespace

void AddPassesCommand(CLI::App& app, Session& session) {
  const auto flags = std::make_shared<PassesFlags>();
  CLI::App* command =
      app.add_subcommand("passes", "List what each compiler pass did to a program of a dump");
  AddCommonOptions(*command, session, false, DumpWants::kEverything);
  // Here the name belongs to instructions.
  command->remove_option(command->get_option("--follow"));
  command->remove_option(command->get_option("--stage"));
  command
      ->add_option("--follow", flags->follow,
                   "Show where this instruction came from and went to instead")
      ->group(kOutputOptions);
  AddNumbersOptions(*command, flags->numbers, true);
  command->footer(
      "FILE is a dump directory or archive made with --xla_dump_hlo_pass_re=.*\n"
      "Counts are changes made by each pass; values are distinct values changed (~), added and "
      "removed.\n"
      "With --run, the exit code is 1 if a pass changed the results; rounding does not count.\n"
      "`halo diff A B --passes` finds the first pass at which two compilations differ.\n\n"
      "Examples:\n"
      "  halo passes xla_dump/\n"
      "  halo passes xla_dump/ --module jit_step --follow fusion.3\n"
      "  halo passes xla_dump/ --run --inputs in.npz");
  command->callback([flags, &session] { RunPasses(*flags, session); });
}

}  // namespace halo::tool
