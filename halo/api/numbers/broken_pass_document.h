// The result of `halo passes --run` as users see it.
#ifndef HALO_API_NUMBERS_BROKEN_PASS_DOCUMENT_H_
#define HALO_API_NUMBERS_BROKEN_PASS_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/numbers/broken_pass.h"
#include "haloscope/numbers.h"

namespace halo {
namespace documents {

struct BrokenPassResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.brokenpass.v1";

  bool ok = false;
  std::string refused, module;
  uint64_t states = 0;
  bool agrees = false;
  std::vector<CheckedState> checked;
  std::optional<PassState> good, bad;
  std::optional<std::string> pass;
  std::optional<int64_t> skipped;
  std::optional<bool> confirmed;
  std::optional<v0::ComparedPrograms> between;
  std::optional<v0::Sandbox> sandbox;
};

template <class V>
void Fields(V& v, BrokenPassResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("ok", r.ok, "the first state ran");
  v("refused", r.refused, "why not", v0::FieldFlag::kIfAny);
  v("module", r.module, "whose states they are");
  v("states", r.states, "states in the dump");
  v("agrees", r.agrees, "no state that ran differs from the first");
  v("checked", r.checked, "states that ran, in order of compilation");
  v("good", r.good, "the last state whose results are right");
  v("bad", r.bad, "the first whose results are wrong");
  v("pass", r.pass, "the pass between them");
  v("skipped", r.skipped, "states between them that cannot run");
  v("confirmed", r.confirmed,
    "the two differ from each other; false if differences grew over several passes");
  v("between", r.between, "the good state as A, the bad one as B");
  v("sandbox", r.sandbox, "what the process that ran the states could not reach",
    v0::When{"absent if none ran it"});
}

}  // namespace documents

documents::BrokenPassResult BrokenPassDocument(const BrokenPass& result, const std::string& path);
std::string BrokenPassJson(const BrokenPass& result, const std::string& path);

}  // namespace halo

#endif  // HALO_API_NUMBERS_BROKEN_PASS_DOCUMENT_H_
