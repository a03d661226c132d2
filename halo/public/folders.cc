// `halo diff --ranks` and `--recompiles` through the public interface: questions about a whole
// folder.
#include <optional>
#include <string>

#include "halo/api/describe/result_parts.h"
#include "halo/api/document/command_documents.h"
#include "halo/api/ranks/ranks_document.h"
#include "halo/api/recompiles/recompiles_document.h"
#include "halo/describe/write_json.h"
#include "halo/dump/dump.h"
#include "halo/dump/select.h"

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

// A result that has nothing but the reason.
template <class Result>
Result Refused(const std::string& path, const halo::Diagnostic& why) {
  Result result;
  result.inputs.push_back(InputOf(path));
  result.diagnostics.push_back(PublicDiagnostic(why, path));
  return result;
}

std::string ErrorJson(const ResultParts& parts) {
  documents::ErrorResult error;
  static_cast<ResultParts&>(error) = parts;
  error.command = "diff";
  error.exit_code = kUnusable;
  return describe::DocumentJson(error);
}

}  // namespace

std::string RanksResult::ToJson() const {
  return succeeded ? describe::DocumentJson(*this) : ErrorJson(*this);
}

RanksResult Ranks(const std::string& path, const RanksRequest& request) {
  std::optional<halo::Diagnostic> refused;
  const std::optional<Dump> dump = Indexed(path, request.follow, refused);
  if (!dump) return Refused<RanksResult>(path, *refused);
  const RankGroups groups = GroupRanks(*dump, {});
  if (groups.ranks == 0) return Refused<RanksResult>(path, NoModuleIn(*dump));
  return RanksDocument(groups, path);
}

std::string RecompilesResult::ToJson(size_t top) const {
  return succeeded ? describe::DocumentJson(*this, top) : ErrorJson(*this);
}

RecompilesResult Recompiles(const std::string& path, const RecompilesRequest& request) {
  std::optional<halo::Diagnostic> refused;
  const std::optional<Dump> dump = Indexed(path, request.follow, refused);
  if (!dump) return Refused<RecompilesResult>(path, *refused);
  const RecompileResult found = FindRecompiles(*dump, {});
  if (found.compiles.empty()) return Refused<RecompilesResult>(path, NoModuleIn(*dump));
  return RecompilesDocument(found, path);
}

}  // namespace halo::v0
