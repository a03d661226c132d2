// Prints on standard error which file was chosen, so that users do not mistake it for another.
#include "tools/halo/session/dump_inputs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/dump/open_file.h"
#include "halo/dump/select.h"
#include "halo/dump/walk.h"
#include "tools/halo/ranks/rank_environment.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

FileRole RoleOfName(const std::string& path) {
  return ParseDumpName(path.substr(path.rfind('/') + 1)).file_role;
}

bool HoldsFiles(const std::string& path) {
  const Result<SourceBuffer> source = SourceBuffer::Open(path);
  return source && !ListPacked(source->bytes()).files.empty();
}

[[noreturn]] void GiveUp(const Diagnostic& why, const std::string& path, Session& session) {
  Refuse(why, path, session);
  throw CLI::RuntimeError(kExitUnusable);
}

class Resolver {
 public:
  Resolver(Session& session, DumpWants wants, bool many_files)
      : session_(session), wants_(wants), many_files_(many_files) {}

  void Resolve() {
    std::vector<std::string> files;
    for (const std::string& path : session_.files) {
      if (IsDump(path, session_)) {
        Take(path, files);
      } else {
        files.push_back(path);
      }
    }
    session_.files = std::move(files);
  }

 private:
  void Take(const std::string& path, std::vector<std::string>& files) {
    const Result<Dump> dump = OpenDump(path, session_);
    if (!dump) GiveUp(dump.error(), path, session_);
    DumpChoice choice = session_.choice;
    choice.prefer_proto = wants_ == DumpWants::kProto;
    const Result<Selection> selection = SelectFromDump(*dump, choice);
    if (!selection) GiveUp(selection.error(), path, session_);
    if (selection->chosen.size() > 1 && !many_files_) {
      throw CLI::ValidationError("all", "this command takes one module at a time");
    }
    const size_t first = files.size();
    for (const Chosen& chosen : selection->chosen) TakeChosen(*dump, path, chosen, files);
    // Of several ranks, the process that started them has said it, or the first one does.
    const std::optional<RankEnvironment> rank = FindRankEnvironment();
    if (rank && (rank->is_launched || rank->rank != 0)) return;
    if (selection->chosen.size() > 1) return;
    const std::string why = selection->why.empty() ? "" : " (" + selection->why + ")";
    const size_t root = dump->root.size() + (dump->root.ends_with('/') ? 0 : 1);
    session_.console.Err(Phrase("{}: {}{}\n", path, files[first].substr(root), why));
  }

  void TakeChosen(const Dump& dump, const std::string& path, const Chosen& chosen,
                  std::vector<std::string>& files) {
    const bool wants_pieces = wants_ == DumpWants::kAssignment || wants_ == DumpWants::kProgram;
    if (wants_ != DumpWants::kAssignment) files.push_back(dump.PathOf(chosen.file));
    if (!wants_pieces) return;
    const DumpModule& module = dump.modules[static_cast<size_t>(chosen.module)];
    const std::vector<int32_t> pieces =
        dump.AssignmentOf(module.stages[static_cast<size_t>(chosen.stage)]);
    if (pieces.empty() && wants_ == DumpWants::kAssignment) {
      Diagnostic none = MakeBinaryDiagnostic(diag::kCannotOpen, 0,
                                             "no buffer assignment of module " + module.name);
      none.help = "`halo ls` shows which files are missing and which flag makes XLA write them";
      GiveUp(none, path, session_);
    }
    for (const int32_t piece : pieces) {
      // Without a module, the first piece was taken in its place.
      if (wants_ == DumpWants::kAssignment || piece != chosen.file) {
        files.push_back(dump.PathOf(piece));
      }
    }
  }

  Session& session_;
  DumpWants wants_;
  bool many_files_;
};

// Options that select from a dump are wrong if no dump is given.
void RequireDump(const Session& session) {
  if (!session.choice.is_given()) return;
  for (const std::string& path : session.files) {
    if (IsDump(path, session)) return;
  }
  throw CLI::ValidationError("--module, --stage and --rank choose from a dump directory",
                             session.files.empty() ? "" : session.files.front() + " is a file");
}

}  // namespace

bool IsDump(const std::string& path, const Session& session) {
  if (path == "-") return false;
  if (IsFolder(path) || RoleOfName(path) == FileRole::kArchive) return true;
  return (RoleOfName(path) == FileRole::kTrace || session.choice.is_given()) && HoldsFiles(path);
}

Result<Dump> OpenDump(const std::string& path, Session& session) {
  DumpOptions how;
  how.walk.follow = session.follow;
  Result<Dump> dump = IndexDump(path, how);
  if (dump && dump->links_outside != 0) {
    session.console.Err(
        Phrase("{}: {} link{} that point{} outside the folder left out; --follow includes {}\n",
               path, dump->links_outside, dump->links_outside == 1 ? "" : "s",
               dump->links_outside == 1 ? "s" : "", dump->links_outside == 1 ? "it" : "them"));
  }
  return dump;
}

void AddDumpOptions(CLI::App& command, Session& session, DumpWants wants, bool many_files) {
  const bool all = wants == DumpWants::kEverything;
  command
      .add_option("--module", session.choice.module,
                  fmt::format("Module of a dump directory: its name, part of its name, or its "
                              "number (default: {})",
                              all ? "all" : "the largest"))
      ->group(kInputOptions);
  command
      .add_option("--stage", session.choice.stage,
                  fmt::format("Stage of the module: before, after, a pass, or the number of a pass "
                              "(default: {})",
                              all ? "all" : "the last"))
      ->group(kInputOptions);
  command
      .add_option("--rank", session.choice.rank,
                  "Rank, if each rank has a folder: the folder's name or number")
      ->group(kInputOptions);
  command
      .add_flag("--follow", session.follow,
                "Follow symbolic links that point outside a dump directory")
      ->group(kInputOptions);
  command.parse_complete_callback(
      [&session, wants, many_files] { ResolveDumps(session, wants, many_files); });
}

void ResolveDumps(Session& session, DumpWants wants, bool many_files) {
  RequireDump(session);
  if (wants != DumpWants::kEverything) Resolver(session, wants, many_files).Resolve();
}

}  // namespace halo::tool
