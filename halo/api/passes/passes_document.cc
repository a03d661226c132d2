// Puts the parts of both results where the documents have them.
#include "halo/api/passes/passes_document.h"

#include "halo/api/describe/result_parts.h"
#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/describe/write_json.h"

namespace halo {
namespace {

void FillRefused(const std::string& refused, const std::string& path, v0::ResultParts& to) {
  if (refused.empty()) return;
  to.diagnostics.push_back(
      PublicDiagnostic(MakeBinaryDiagnostic(diag::kCannotOpen, 0, refused), path));
}

std::vector<documents::PassCause> CausesOf(const ProgramDiff& diff) {
  std::vector<documents::PassCause> causes;
  for (const DiffCause& each : diff.causes) {
    causes.push_back({.kind = std::string(TextOf(each.kind)),
                      .what = each.what,
                      .count = each.count,
                      .bytes = each.bytes});
  }
  return causes;
}

}  // namespace

documents::PassesResult PassesDocument(const PassesResult& result, const std::string& path) {
  documents::PassesResult document;
  document.inputs.push_back(InputOf(path));
  FillRefused(result.refused, path, document);
  document.ok = result.refused.empty();
  document.refused = result.refused;
  document.module = result.module;
  document.states = result.states;
  document.first = result.first;
  document.last = result.last;
  document.passes = result.passes;
  document.idle = result.idle;
  document.follow = result.follow;
  document.unreadable = result.unreadable;
  return document;
}

std::string PassesJson(const PassesResult& result, const std::string& path) {
  return describe::DocumentJson(PassesDocument(result, path));
}

documents::PassDiffResult PassDiffDocument(const PassDiff& diff, const std::string& path_a,
                                           const std::string& path_b) {
  documents::PassDiffResult document;
  document.inputs = {InputOf(path_a), InputOf(path_b)};
  FillRefused(diff.refused, path_a, document);
  document.ok = diff.refused.empty();
  document.refused = diff.refused;
  document.same = diff.same();
  document.pass = diff.pass;
  document.states_before = diff.states_before;
  document.states_after = diff.states_after;
  document.equal = diff.equal;
  document.last_before = diff.last_a;
  document.last_after = diff.last_b;
  document.first_before = diff.first_a;
  document.first_after = diff.first_b;
  document.did_before = CausesOf(diff.did_a);
  document.did_after = CausesOf(diff.did_b);
  document.causes = CausesOf(diff.between);
  return document;
}

std::string PassDiffJson(const PassDiff& diff, const std::string& path_a, const std::string& path_b,
                         size_t top) {
  return describe::DocumentJson(PassDiffDocument(diff, path_a, path_b), top);
}

}  // namespace halo
