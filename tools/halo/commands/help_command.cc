// `halo help`, and the hidden commands that packages are made with: `halo man` and `halo
// completion` print what tools/halo/help makes from the definitions of all commands.
#include <filesystem>
#include <memory>
#include <system_error>

#include <CLI/CLI.hpp>

#include "halo/api/document/version.h"
#include "tools/halo/help/completions.h"
#include "tools/halo/help/help_text.h"
#include "tools/halo/help/man_page.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/session/usage_error.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

// The command of this name, or `app` itself if there is no name. Null, after printing what was
// probably meant, if there is no such command.
const CLI::App* FindCommand(const CLI::App& app, const std::string& name, Session& session) {
  if (name.empty()) return &app;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name() == name) return each;
  }
  session.console.Err(Phrase("halo help: {}\ntry: halo --help\n", NoSuchCommand(app, name)));
  session.Worsen(kExitUnusable);
  return nullptr;
}

void WritePages(const CommandModel& halo, const std::string& folder, Session& session) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const auto write = [&](const CommandModel& command) {
    const std::filesystem::path path = std::filesystem::path(folder) / ManPageName(command);
    return WriteFile(path.string(), ManPage(command, Version()), session);
  };
  if (!write(halo)) return;
  for (const CommandModel& each : halo.commands) {
    if (!each.group.empty() && !write(each)) return;
  }
}

}  // namespace

void AddHelpCommand(CLI::App& app, Session& session) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Show the options of a command and an example");
  command->add_option("COMMAND", *name, "The command (default: an overview of all commands)");
  command->footer("Example:\n  halo help memory");
  command->callback([name, &app, &session] {
    const CLI::App* found = FindCommand(app, *name, session);
    if (found != nullptr) session.console.Print(found->get_formatter()->make_help(found, "", {}));
  });
}

void AddManCommand(CLI::App& app, Session& session) {
  struct ManFlags {
    std::string name, folder;
  };
  const auto flags = std::make_shared<ManFlags>();
  CLI::App* command = app.add_subcommand("man", "Print the man page of halo or of a command");
  CLI::Option* name =
      command->add_option("COMMAND", flags->name, "The command (default: halo itself)");
  command->option_defaults()->group(kOutputOptions);
  command
      ->add_option("-o,--output", flags->folder, "Write the pages of all commands to this folder")
      ->type_name("DIR")
      ->excludes(name);
  command->footer("Example:\n  halo man memory | man -l -");
  command->callback([flags, &app, &session] {
    if (!flags->folder.empty()) return WritePages(DescribeApp(app), flags->folder, session);
    const CLI::App* found = FindCommand(app, flags->name, session);
    if (found != nullptr) session.console.Out(ManPage(DescribeApp(*found), Version()));
  });
}

void AddCompletionCommand(CLI::App& app, Session& session) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print the script that completes halo's command lines");
  command->add_option("SHELL", *shell, "The shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("Example:\n  source <(halo completion bash)");
  command->callback([shell, &app, &session] {
    const CommandModel halo = DescribeApp(app);
    session.console.Out(*shell == "bash"  ? BashCompletion(halo)
                        : *shell == "zsh" ? ZshCompletion(halo)
                                          : FishCompletion(halo));
  });
}

}  // namespace halo::tool
