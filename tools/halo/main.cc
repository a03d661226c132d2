// The command `halo`: its subcommands, help and exit codes. Each subcommand has a separate file;
// halo/api computes the results.
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/document/json_parts.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"
#include "tools/halo/session/usage_error.h"

namespace halo::tool {
namespace {

constexpr const char* kAbout =
    "Haloscope: a toolkit for XLA programs. Reads every generation of HLO dumps.";

constexpr const char* kFooter =
    "Exit codes: 0 success; 1 errors were found or a check failed; 2 wrong usage or unreadable "
    "input.\n"
    "`halo COMMAND --help` shows a command's options and an example.";

// The subcommand on the command line; empty if there is none.
std::string CommandOf(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name();
}

int Run(int argc, char** argv) {
  Session session;
  CLI::App app{kAbout, "halo"};
  app.footer(kFooter);
  app.set_version_flag("--version", "halo " + std::string(Version()));
  app.require_subcommand(1);
  AddLsCommand(app, session);
  AddInfoCommand(app, session);
  AddFmtCommand(app, session);
  AddConvertCommand(app, session);
  AddCheckCommand(app, session);
  AddMemoryCommand(app, session);
  AddPackCommand(app, session);
  AddRunCommand(app, session);
  AddCompareCommand(app, session);
#ifdef HALO_WITH_ENGINE
  AddCompileCommand(app, session);
#endif
  AddAskCommand(app, session);
  AddShrinkCommand(app, session);
  AddReportCommand(app, session);
  AddViewCommand(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    session.console.Out(std::string(version.what()) + "\n");
  } catch (const CLI::CallForHelp&) {
    session.console.Out(app.help());
  } catch (const CLI::CallForAllHelp&) {
    session.console.Out(app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::RuntimeError& error) {
    session.Worsen(error.get_exit_code());  // the reason has been printed
  } catch (const CLI::ParseError& error) {
    const std::string command = CommandOf(app);
    const std::string name = command.empty() ? "halo" : "halo " + command;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    session.json = WantsJson(command, arguments);
    Refuse(kWrongUsage,
           fmt::format("{0}: {1}\ntry: {0} --help", name, UsageError(app, arguments, error.what())),
           session);
  }
  if (session.exit_code != kExitOk) FinishJson(CommandOf(app), session);
  if (!session.console.Finish()) session.Worsen(kExitUnusable);
  return session.exit_code;
}

}  // namespace
}  // namespace halo::tool

int main(int argc, char** argv) { return halo::tool::Run(argc, argv); }
