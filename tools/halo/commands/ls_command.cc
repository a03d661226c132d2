// `halo ls`: shows a dump directory as a table of modules and stages.
#include <memory>

#include <CLI/CLI.hpp>

#include "halo/api/info/dump_json.h"
#include "halo/dump/select.h"
#include "tools/halo/render/ls_text.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

struct LsFlags {
  std::string folder = ".";
  bool files = false;
  bool follow = false;
};

void RunLs(const LsFlags& options, Session& session) {
  DumpOptions how;
  how.walk.follow = options.follow;
  const Result<Dump> dump = IndexDump(options.folder, how);
  if (!dump) return Refuse(dump.error(), options.folder, session);
  if (session.json) return session.console.Out(DumpJson(*dump, options.files));
  const LsTextOptions text{options.files, session.console.out_color()};
  if (!session.choice.is_given()) return session.console.Out(LsText(*dump, text));
  const Result<Selection> selection = SelectFromDump(*dump, session.choice);
  if (!selection) return Refuse(selection.error(), options.folder, session);
  int32_t shown = -1;
  for (const Chosen& each : selection->chosen) {
    if (each.module == shown) continue;
    shown = each.module;
    session.console.Out(LsModuleText(*dump, dump->modules[static_cast<size_t>(shown)], text));
  }
}

}  // namespace

void AddLsCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<LsFlags>();
  CLI::App* command = app.add_subcommand(
      "ls", "List the modules of a dump directory, their stages, what is missing");
  command
      ->add_option("DIR", options->folder,
                   "A folder that XLA dumped to, an archive of one (.tar), or captured output")
      ->capture_default_str();
  command->add_flag("--json", session.json, "Answer in JSON");
  command->add_flag("--files", options->files, "Every file, with what it is");
  command->add_flag("--follow", options->follow, "Follow links that lead out of the folder");
  command->add_option("--module", session.choice.module,
                      "The stages of this module: a name, a part of it, a number, or all");
  command->add_option("--rank", session.choice.rank, "Of this folder: its name or its number");
  command->footer(
      "Names of files are enough: none is parsed.\n\n"
      "Examples:\n"
      "  halo ls dump\n"
      "  halo ls dump --module jit_step\n"
      "  halo ls dump.tar.gz --json");
  command->callback([options, &session] { RunLs(*options, session); });
}

}  // namespace halo::tool
