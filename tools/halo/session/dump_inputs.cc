// Prints on standard error which file was chosen, so that users do not mistake it for another.
#include "tools/halo/session/dump_inputs.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/dump/open_file.h"
#include "halo/dump/walk.h"
#include "tools/halo/ranks/rank_environment.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

bool IsArchiveName(const std::string& path) {
  return ParseDumpName(path.substr(path.rfind('/') + 1)).file_role == FileRole::kArchive;
}

[[noreturn]] void GiveUp(const Diagnostic& why, const std::string& path, Session& session) {
  session.console.Err(RenderDiagnostic(why, path, session.console.err_color()));
  throw CLI::RuntimeError(kExitUnusable);
}

class Resolver {
 public:
  Resolver(Session& session, DumpWants wants, bool many_files)
      : session_(session), wants_(wants), many_files_(many_files) {}

  void Resolve() {
    std::vector<std::string> files;
    bool any = false;
    for (const std::string& path : session_.files) {
      // A capture is read as a whole unless one of its modules is requested.
      const bool is_dump = path != "-" && (IsFolder(path) || IsArchiveName(path) ||
                                           (session_.choice.is_given() && HoldsFiles(path)));
      any |= is_dump;
      if (is_dump) {
        Take(path, files);
      } else {
        files.push_back(path);
      }
    }
    if (!any && session_.choice.is_given()) {
      throw CLI::ValidationError(
          "--module, --stage and --rank choose from a dump directory",
          session_.files.empty() ? "" : session_.files.front() + " is a file");
    }
    session_.files = std::move(files);
  }

 private:
  static bool HoldsFiles(const std::string& path) {
    const Result<SourceBuffer> source = SourceBuffer::Open(path);
    return source && !ListPacked(source->bytes()).files.empty();
  }

  void Take(const std::string& path, std::vector<std::string>& files) {
    const Result<Dump> dump = IndexDump(path);
    if (!dump) GiveUp(dump.error(), path, session_);
    DumpChoice choice = session_.choice;
    choice.prefer_proto = wants_ == DumpWants::kProto;
    const Result<Selection> selection = SelectFromDump(*dump, choice);
    if (!selection) GiveUp(selection.error(), path, session_);
    if (selection->chosen.size() > 1 && !many_files_) {
      throw CLI::ValidationError("all", "this command takes one module at a time");
    }
    for (const Chosen& chosen : selection->chosen) {
      std::vector<int32_t> taken = {chosen.file};
      if (wants_ == DumpWants::kAssignment) {
        const DumpModule& module = dump->modules[static_cast<size_t>(chosen.module)];
        taken = dump->AssignmentOf(module.stages[static_cast<size_t>(chosen.stage)]);
        if (taken.empty()) {
          Diagnostic none = MakeBinaryDiagnostic(diag::kCannotOpen, 0,
                                                 "no buffer assignment of module " + module.name);
          none.help = "`halo ls` shows which files are missing and which flag makes XLA write them";
          GiveUp(none, path, session_);
        }
      }
      for (const int32_t file : taken) files.push_back(dump->PathOf(file));
    }
    // Of several ranks, the process that started them has said it, or the first one does.
    const std::optional<RankEnvironment> rank = FindRankEnvironment();
    if (rank && (rank->is_launched || rank->rank != 0)) return;
    if (selection->chosen.size() > 1) return;
    const std::string why = selection->why.empty() ? "" : " (" + selection->why + ")";
    session_.console.Err(fmt::format("{}: {}{}\n", Printable(path),
                                     Printable(files.back().substr(dump->root.size() + 1)),
                                     Printable(why)));
  }

  Session& session_;
  DumpWants wants_;
  bool many_files_;
};

}  // namespace

void AddDumpOptions(CLI::App& command, Session& session, DumpWants wants, bool many_files) {
  command
      .add_option("--module", session.choice.module,
                  "Module of a dump directory: its name, part of its name, or its number "
                  "(default: the largest)")
      ->group(kInputOptions);
  command
      .add_option(
          "--stage", session.choice.stage,
          "Stage of the module: before, after, a pass, or the number of a pass (default: the last)")
      ->group(kInputOptions);
  command
      .add_option("--rank", session.choice.rank,
                  "Rank, if each rank has a folder: the folder's name or number")
      ->group(kInputOptions);
  command.parse_complete_callback(
      [&session, wants, many_files] { Resolver(session, wants, many_files).Resolve(); });
}

}  // namespace halo::tool
