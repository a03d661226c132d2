// What the passes of a compilation did, and how two compilations differ, as users see it.
#ifndef HALO_API_PASSES_PASSES_DOCUMENT_H_
#define HALO_API_PASSES_PASSES_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/passes/compare_passes.h"
#include "halo/api/passes/list_passes.h"
#include "haloscope/parts.h"

namespace halo {
namespace documents {

struct PassesResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.passes.v1";

  bool ok = false;
  std::string refused, module;
  uint64_t states = 0;
  ModuleCounts first, last;
  std::vector<PassEffect> passes;
  std::vector<std::string> idle;
  std::vector<FollowStep> follow;
  std::vector<std::string> unreadable;
};

template <class V>
void Fields(V& v, PassesResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("ok", r.ok, "the states were compared");
  v("refused", r.refused, "why not", v0::FieldFlag::kIfAny);
  v("module", r.module, "whose states they are");
  v("states", r.states, "how many there are");
  v("first", r.first, "the first state");
  v("last", r.last, "the last state");
  v("passes", r.passes, "in order of compilation");
  v("idle", r.idle, "passes that ran without leaving a state: they changed nothing");
  v("follow", r.follow, "with `--follow`: where the instruction changed");
  v("unreadable", r.unreadable, "files that cannot be read");
}

// A part of a diff.
struct PassCause {
  std::string kind, what;
  int64_t count = 0, bytes = 0;
};

template <class V>
void Fields(V& v, PassCause& r) {
  v("kind", r.kind, "as in `halo.diff`", v0::Choices{"cause_kind"});
  v("what", r.what, "in words");
  v("count", r.count, "how often");
  v("bytes", r.bytes, "of what it changes", v0::Unit::kBytes);
}

struct PassDiffResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.passdiff.v1";

  bool ok = false;
  std::string refused;
  bool same = false;
  std::string pass;
  uint64_t states_before = 0, states_after = 0, equal = 0;
  std::optional<PassState> last_before, last_after, first_before, first_after;
  std::vector<PassCause> did_before, did_after, causes;
};

template <class V>
void Fields(V& v, PassDiffResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("ok", r.ok, "the compilations were compared");
  v("refused", r.refused, "why not", v0::FieldFlag::kIfAny);
  v("same", r.same, "no state differs");
  v("pass", r.pass, "the first that differs; empty if none does");
  v("states_before", r.states_before, "states of A");
  v("states_after", r.states_after, "states of B");
  v("equal", r.equal, "distinct states that are equal, up to there");
  v("last_before", r.last_before, "the last equal state, in A");
  v("last_after", r.last_after, "the same state in B");
  v("first_before", r.first_before, "the first different state of A",
    v0::When{"absent if only B changed there"});
  v("first_after", r.first_after, "the first different state of B",
    v0::When{"absent if only A changed there"});
  v("did_before", r.did_before, "what the pass changed in A, largest first", v0::FieldFlag::kTop);
  v("did_after", r.did_after, "what it changed in B", v0::FieldFlag::kTop);
  v("causes", r.causes, "how the two different states differ", v0::FieldFlag::kTop);
}

}  // namespace documents

documents::PassesResult PassesDocument(const PassesResult& result, const std::string& path);
std::string PassesJson(const PassesResult& result, const std::string& path);

documents::PassDiffResult PassDiffDocument(const PassDiff& diff, const std::string& path_a,
                                           const std::string& path_b);
// With `top` causes in each list.
std::string PassDiffJson(const PassDiff& diff, const std::string& path_a, const std::string& path_b,
                         size_t top);

}  // namespace halo

#endif  // HALO_API_PASSES_PASSES_DOCUMENT_H_
