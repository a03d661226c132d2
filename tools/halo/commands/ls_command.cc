// `halo ls`: shows a dump directory as a table of modules and stages.
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/info/ls_document.h"
#include "halo/dump/select.h"
#include "tools/halo/render/ls_text.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

struct LsFlags {
  std::string folder = ".";
  bool files = false;
  bool follow = false;
};

void RunLs(const LsFlags& options, Session& session) {
  session.files = {options.folder};
  DumpOptions how;
  how.walk.follow = options.follow;
  const Result<Dump> dump = IndexDump(options.folder, how);
  if (!dump) return Refuse(dump.error(), options.folder, session);
  const bool narrowed = session.choice.is_given();
  const Result<Selection> selection =
      narrowed ? SelectFromDump(*dump, session.choice) : Result<Selection>(Selection());
  if (!selection) return Refuse(selection.error(), options.folder, session);
  if (session.json) return PrintJson(LsJson(*dump, options.files), session);
  const LsTextOptions text{options.files, session.console.out_color(), session.console.Width()};
  if (!narrowed) return session.console.Print(LsText(*dump, text));
  int32_t shown = -1;
  for (const Chosen& each : selection->chosen) {
    if (each.module == shown) continue;
    shown = each.module;
    session.console.Print(LsModuleText(*dump, dump->modules[static_cast<size_t>(shown)], text));
  }
}

}  // namespace

void AddLsCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<LsFlags>();
  CLI::App* command = app.add_subcommand(
      "ls", "List the modules of a dump directory, their stages, and missing files");
  command
      ->add_option("DIR", options->folder,
                   "A dump directory, a .tar archive of one, or captured output")
      ->capture_default_str();
  command->option_defaults()->group(kOutputOptions);
  command->add_flag("--json", session.json, "Print the result as JSON");
  command->add_flag("--files", options->files, "List every file and its kind");
  command->option_defaults()->group(kInputOptions);
  command->add_flag("--follow", options->follow,
                    "Follow symbolic links that point outside the folder");
  command->add_option(
      "--module", session.choice.module,
      "List the stages of this module: its name, part of its name, its number, or `all`");
  command->add_option("--rank", session.choice.rank,
                      "Rank whose files are listed: the folder's name or number");
  command->footer(
      "The listing uses file names only; no file is parsed.\n\n"
      "Examples:\n"
      "  halo ls dump\n"
      "  halo ls dump --module jit_step\n"
      "  halo ls dump.tar.gz --json");
  command->callback([options, &session] { RunLs(*options, session); });
}

}  // namespace halo::tool
