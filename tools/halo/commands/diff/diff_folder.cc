// Indexes the folder, and prints groups of ranks or causes of recompilations.
#include "tools/halo/commands/diff/diff_folder.h"

#include <CLI/CLI.hpp>

#include "halo/api/ranks/ranks_document.h"
#include "halo/api/recompiles/recompiles_document.h"
#include "halo/base/strings/human_size.h"
#include "halo/dump/select.h"
#include "tools/halo/session/dump_inputs.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

std::string RanksText(const RankGroups& result, size_t width) {
  const auto count = static_cast<int64_t>(result.ranks);
  if (result.groups.size() == 1) {
    return Phrase("{} compiled the same: {}, {}\n", Counted(count, "rank"),
                  Counted(static_cast<int64_t>(result.files), "file"),
                  HumanBytes(static_cast<int64_t>(result.bytes)));
  }
  const auto alike = static_cast<int64_t>(result.groups.front().ranks.size());
  const auto groups = static_cast<int64_t>(result.groups.size());
  std::string text = alike == 1
                         ? Phrase("{}, {} different compilations\n", Counted(count, "rank"), groups)
                         : Phrase("{} alike, {} not: {} different compilations\n",
                                  Counted(alike, "rank"), GroupedDigits(count - alike), groups);
  TextTable table("rlt");
  table.Add({"ranks", "differ in", "which"});
  for (const RankGroup& group : result.groups) {
    std::string differs;
    for (size_t level = 0; level < kRankLevels; ++level) {
      if (!group.differs[level]) continue;
      differs += (differs.empty() ? "" : ", ") + std::string(TextOf(static_cast<RankLevel>(level)));
    }
    table.Add({GroupedDigits(static_cast<int64_t>(group.ranks.size())), differs,
               RankListText(group.ranks)});
  }
  text += table.Text(2, width);
  for (size_t i = 1; i < result.groups.size(); ++i) {
    text += Phrase("{} against {}\n", RankListText({result.groups[i].ranks[0]}),
                   RankListText({result.groups[0].ranks[0]}));
    for (const std::string& each : result.groups[i].differences) {
      text += Phrase("  {}\n", each);
    }
  }
  return text;
}

void RunRanks(const std::string& path, const Dump& dump, Session& session) {
  const RankGroups result = GroupRanks(dump, session.open_options());
  if (result.ranks == 0) return Refuse(NoModuleIn(dump), path, session);
  if (result.groups.size() > 1) session.Worsen(kExitFindings);
  if (session.json) return PrintJson(RanksJson(result, path), session);
  if (result.unreadable != 0) {
    session.console.Err(Phrase("{}: {} cannot be read as a program and counts by its bytes\n", path,
                               Counted(static_cast<int64_t>(result.unreadable), "file")));
  }
  session.console.Print(RanksText(result, session.console.Width()));
}

std::string RecompilesText(const RecompileResult& result, size_t top, size_t width) {
  std::string text =
      Phrase("{} of {}: {} compiled again\n",
             Counted(static_cast<int64_t>(result.compiles.size()), "compilation"),
             Counted(result.functions, "function"), GroupedDigits(result.recompiles));
  if (result.recompiles == 0) return text;
  std::array<int64_t, kRecompileCauses> counts{};
  for (const Compile& compile : result.compiles) {
    if (!compile.changes.empty()) ++counts[static_cast<size_t>(compile.changes.front().cause)];
  }
  std::string causes;
  for (size_t i = 0; i < kRecompileCauses; ++i) {
    if (counts[i] == 0) continue;
    causes += Phrase("{}{} {}", causes.empty() ? "" : ", ", GroupedDigits(counts[i]),
                     TextOf(static_cast<RecompileCause>(i)));
  }
  text += "because of: " + causes + "\n";
  TextTable table("rlrlt");
  table.Add({"#", "function", "like #", "because of", "what"});
  size_t shown = 0;
  for (const Compile& compile : result.compiles) {
    if (compile.predecessor < 0 || shown == top) continue;
    ++shown;
    std::string names;
    std::string what;
    for (const RecompileChange& change : compile.changes) {
      names += (names.empty() ? "" : ", ") + std::string(TextOf(change.cause));
      what += (what.empty() ? "" : "; ") + change.what;
    }
    table.Add({std::to_string(compile.number), compile.function,
               std::to_string(result.compiles[static_cast<size_t>(compile.predecessor)].number),
               names, what});
  }
  text += table.Text(2, width);
  if (static_cast<int64_t>(shown) < result.recompiles) {
    text +=
        Phrase("  and {} more (--top {})\n",
               GroupedDigits(result.recompiles - static_cast<int64_t>(shown)), result.recompiles);
  }
  return text;
}

void RunRecompiles(const std::string& path, const Dump& dump, size_t top, Session& session) {
  const RecompileResult result = FindRecompiles(dump, session.open_options());
  if (result.compiles.empty()) return Refuse(NoModuleIn(dump), path, session);
  if (result.recompiles != 0) session.Worsen(kExitFindings);
  if (session.json) return PrintJson(RecompilesJson(result, path), session);
  for (const Compile& compile : result.compiles) {
    if (!compile.refused.empty()) {
      session.console.Err(Phrase("{}: {}\n", compile.path, compile.refused));
    }
  }
  session.console.Print(RecompilesText(result, top, session.console.Width()));
}

}  // namespace

void AddFolderOptions(CLI::App& command, FolderFlags& flags) {
  CLI::Option* ranks =
      command
          .add_option("--ranks", flags.ranks,
                      "Group the ranks whose dumps are in this folder by what they compiled")
          ->type_name("DIR")
          ->group("One folder");
  command
      .add_option("--recompiles", flags.recompiles,
                  "Say why each function in this dump directory was compiled more than once")
      ->type_name("DIR")
      ->excludes(ranks)
      ->group("One folder");
}

const std::string& FolderOf(const FolderFlags& flags) {
  return flags.ranks.empty() ? flags.recompiles : flags.ranks;
}

bool WantsFolderDiff(const FolderFlags& flags, const Session& session) {
  if (FolderOf(flags).empty()) return false;
  if (!session.files.empty()) {
    throw CLI::ValidationError(
        "FILE", !flags.ranks.empty()
                    ? "--ranks compares the dumps of one folder; leave out the files"
                    : "--recompiles compares the modules of one folder; leave out the files");
  }
  return true;
}

void RunFolderDiff(const FolderFlags& flags, size_t top, Session& session) {
  const std::string& path = FolderOf(flags);
  const Result<Dump> dump = OpenDump(path, session);
  if (!dump) {
    Refuse(dump.error(), path, session);
  } else if (!flags.ranks.empty()) {
    RunRanks(path, *dump, session);
  } else {
    RunRecompiles(path, *dump, top, session);
  }
}

}  // namespace halo::tool
