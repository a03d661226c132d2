// The command `halo`: its subcommands, help and exit codes. Each subcommand has a separate file;
// halo/api computes the results.
#include <cstdlib>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/document/version.h"
#include "halo/plugins/load_engine.h"
#include "tools/halo/guard/truncated_files.h"
#include "tools/halo/help/help_text.h"
#include "tools/halo/ranks/rank_environment.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"
#include "tools/halo/session/usage_error.h"

namespace halo::tool {
namespace {

constexpr const char* kAbout =
    "Haloscope: a toolkit for XLA programs. Reads every generation of HLO dumps.";

constexpr const char* kFooter =
    "Exit codes: 0 success; 1 errors were found or a check failed; 2 wrong usage or unreadable "
    "input.\n\n"
    "`halo help COMMAND` shows a command's options and an example.";

struct CommandEntry {
  const char* group;  // in the help; empty: not shown
  void (*add)(CLI::App& app, Session& session);
};
constexpr const char* kLook = "See what is there";
constexpr const char* kMemory = "Explain memory and time";
constexpr const char* kRun = "Run programs";
constexpr const char* kWrite = "Write modules in another form";
constexpr const char* kMore = "More";
constexpr CommandEntry kCommands[] = {
    {kLook, AddLsCommand},       {kLook, AddInfoCommand},     {kLook, AddCheckCommand},
    {kLook, AddViewCommand},     {kLook, AddReportCommand},   {kLook, AddDiffCommand},
    {kLook, AddPassesCommand},   {kLook, AddSnapshotCommand}, {kLook, AddScanCommand},
    {kMemory, AddMemoryCommand}, {kMemory, AddPackCommand},   {kMemory, AddTimeCommand},
    {kRun, AddRunCommand},       {kRun, AddCompareCommand},   {kRun, AddShrinkCommand},
    {kRun, AddCompileCommand},   {kWrite, AddFmtCommand},     {kWrite, AddConvertCommand},
    {kMore, AddAskCommand},      {kMore, AddDescribeCommand}, {kMore, AddMcpCommand},
    {kMore, AddLspCommand},      {kMore, AddHelpCommand},     {"", AddManCommand},
    {"", AddCompletionCommand},
};

// CLI11 parses; this lays out the help.
class HelpFormatter : public CLI::FormatterBase {
 public:
  explicit HelpFormatter(const Console& console) : console_(console) {}
  std::string make_help(const CLI::App* app, std::string /*name*/,
                        CLI::AppFormatMode /*mode*/) const override {
    return HelpText(DescribeApp(*app), {.width = console_.Width(), .color = console_.out_color()});
  }

 private:
  const Console& console_;
};

void AddCommands(CLI::App& app, Session& session) {
  for (const CommandEntry& entry : kCommands) {
    entry.add(app, session);
    CLI::App* command = app.get_subcommands([](const CLI::App*) { return true; }).back();
    command->group(entry.group);
    command->get_help_ptr()->group(kGeneralOptions);
    AddColorOption(*command, session);
  }
}

// The subcommand on the command line; empty if there is none.
std::string CommandOf(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name();
}

// Without the engine, the command that was installed with it takes over. If it cannot be started,
// this one runs: it can do everything but compile.
void GiveWayToEngine(char** argv) {
  const std::string path = FindEngineCommand().path;
  if (!path.empty()) execv(path.c_str(), argv);
}

int Run(int argc, char** argv) {
  Session session;
  if (const auto rank = FindRankEnvironment()) {
    session.console.Detach(rank->out_color, rank->err_color);
  }
  CLI::App app{kAbout, "halo"};
  app.formatter(std::make_shared<HelpFormatter>(session.console));
  app.footer(kFooter);
  app.set_help_flag("-h,--help", "Show this help and exit")->group(kGeneralOptions);
  app.set_version_flag("-V,--version", "halo " + std::string(Version()),
                       "Show the version and exit")
      ->group(kGeneralOptions);
  AddColorOption(app, session);
  app.require_subcommand(1);
  AddCommands(app, session);
  if (argc <= 1) {
    session.console.Err(StartText(DescribeApp(app), {.width = session.console.ErrWidth(),
                                                     .color = session.console.err_color()}));
    return kExitUnusable;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    session.console.Out(std::string(version.what()) + "\n");
  } catch (const CLI::CallForHelp&) {
    session.console.Print(app.help());
  } catch (const CLI::RuntimeError& error) {
    session.Worsen(error.get_exit_code());  // the reason has been printed
  } catch (const CLI::ParseError& error) {
    const std::string command = CommandOf(app);
    const std::string name = command.empty() ? "halo" : "halo " + command;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    session.json = WantsJson(command, arguments);
    RefuseWithHint(kWrongUsage,
                   fmt::format("{}: {}", name, UsageError(app, arguments, error.what())),
                   fmt::format("try: {} --help", name), session);
  }
  if (session.exit_code != kExitOk) FinishJson(CommandOf(app), session);
  if (!session.console.Finish()) session.Worsen(kExitUnusable);
  return session.exit_code;
}

// oneDNN's threads are libgomp's, which by default spin for milliseconds while they wait for one
// another. On a busy machine that takes the processor from the very thread that they wait for: a
// program of short steps then ran thirty times slower than with waits of about 10 us. libgomp reads
// the variables when it is loaded with the engine.
void KeepWaitsShort() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "200", /*replace=*/0);
}

}  // namespace
}  // namespace halo::tool

int main(int argc, char** argv) {
  halo::tool::KeepWaitsShort();
  halo::tool::GiveWayToEngine(argv);
  halo::tool::ReportTruncatedFiles();
  return halo::tool::Run(argc, argv);
}
