// Indices become the numbers of the dump.
#include "halo/api/recompiles/recompiles_document.h"

#include <utility>

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"

namespace halo {

v0::RecompilesResult RecompilesDocument(const RecompileResult& result, const std::string& path) {
  v0::RecompilesResult document;
  document.inputs.push_back(InputOf(path));
  document.succeeded = true;
  document.compiles = result.compiles.size();
  document.functions = result.functions;
  document.recompiles = result.recompiles;
  document.unreadable = result.unreadable;
  for (const Compile& from : result.compiles) {
    v0::Compilation& to = document.list.emplace_back();
    to.function = from.function;
    to.number = from.number;
    to.path = from.path;
    to.rank = from.rank;
    to.refused = from.refused;
    if (from.predecessor >= 0) {
      to.predecessor = result.compiles[static_cast<size_t>(from.predecessor)].number;
    }
    for (const RecompileChange& change : from.changes) {
      to.changes.push_back({.cause = std::string(TextOf(change.cause)), .what = change.what});
    }
  }
  return document;
}

std::string RecompilesJson(const RecompileResult& result, const std::string& path) {
  return describe::DocumentJson(RecompilesDocument(result, path));
}

}  // namespace halo
