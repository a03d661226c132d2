// `halo diff --ranks` and `--recompiles` through the public interface: questions about a whole
// folder.
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "halo/api/document/json_parts.h"
#include "halo/api/ranks/rank_groups.h"
#include "halo/api/recompiles/recompiles.h"
#include "halo/dump/dump.h"
#include "halo/dump/select.h"
#include "halo/public/document_state.h"
#include "haloscope/ranks.h"
#include "haloscope/recompiles.h"

namespace halo::v0 {
namespace {

constexpr int kUnusable = 2;  // exit code of the command

// The folder's index; nothing, with the reason, if there is none.
std::optional<Dump> Indexed(const std::string& path, bool follow,
                            std::optional<halo::Diagnostic>& refused) {
  DumpOptions how;
  how.walk.follow = follow;
  Result<Dump> dump = IndexDump(path, how);
  if (dump) return *std::move(dump);
  refused = dump.error();
  return std::nullopt;
}

std::string RefusedJson(const std::string& path, const halo::Diagnostic& refused) {
  const PathDiagnostic why = {path, refused};
  return ErrorJson("diff", kUnusable, std::span(&path, 1), std::span(&why, 1));
}

}  // namespace

struct RanksState {
  std::string path;
  std::optional<halo::Diagnostic> refused;
  RankGroups groups;
};

std::string RanksResult::ToJson() const {
  if (state == nullptr) return {};
  return state->refused ? RefusedJson(state->path, *state->refused)
                        : RanksJson(state->groups, state->path);
}

RanksResult Ranks(const std::string& path, const RanksRequest& request) {
  const auto state = std::make_shared<RanksState>();
  state->path = path;
  const std::optional<Dump> dump = Indexed(path, request.follow, state->refused);
  if (dump) state->groups = GroupRanks(*dump, {});
  if (dump && state->groups.ranks == 0) state->refused = NoModuleIn(*dump);
  RanksResult result;
  result.succeeded = !state->refused;
  if (state->refused) result.diagnostics.push_back(PublicDiagnostic(*state->refused, path));
  result.ranks = state->groups.ranks;
  for (const halo::RankGroup& from : state->groups.groups) {
    RankGroup& group = result.groups.emplace_back();
    group.ranks = from.ranks;
    group.differences = from.differences;
    for (size_t level = 0; level < kRankLevels; ++level) {
      if (from.differs[level]) group.differs.emplace_back(TextOf(static_cast<RankLevel>(level)));
    }
  }
  result.state = state;
  return result;
}

struct RecompilesState {
  std::string path;
  std::optional<halo::Diagnostic> refused;
  RecompileResult found;
};

std::string RecompilesResult::ToJson() const {
  if (state == nullptr) return {};
  return state->refused ? RefusedJson(state->path, *state->refused)
                        : RecompilesJson(state->found, state->path, SIZE_MAX);
}

RecompilesResult Recompiles(const std::string& path, const RecompilesRequest& request) {
  const auto state = std::make_shared<RecompilesState>();
  state->path = path;
  const std::optional<Dump> dump = Indexed(path, request.follow, state->refused);
  if (dump) state->found = FindRecompiles(*dump, {});
  if (dump && state->found.compiles.empty()) state->refused = NoModuleIn(*dump);
  RecompilesResult result;
  result.succeeded = !state->refused;
  if (state->refused) result.diagnostics.push_back(PublicDiagnostic(*state->refused, path));
  result.functions = state->found.functions;
  result.recompiles = state->found.recompiles;
  for (const Compile& from : state->found.compiles) {
    Compilation& compilation = result.compilations.emplace_back();
    compilation.function = from.function;
    compilation.number = from.number;
    compilation.path = from.path;
    if (from.predecessor >= 0) compilation.predecessor = static_cast<size_t>(from.predecessor);
    for (const RecompileChange& change : from.changes) {
      compilation.causes.push_back({std::string(TextOf(change.cause)), change.what});
    }
  }
  result.state = state;
  return result;
}

}  // namespace halo::v0
