// The pass of a compilation that changed the results of a program, found by bisection over the
// states of a dump and confirmed on both sides of it.
#ifndef HALO_API_NUMBERS_BROKEN_PASS_H_
#define HALO_API_NUMBERS_BROKEN_PASS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/numbers/compare_numbers.h"
#include "halo/api/passes/pass_states.h"
#include "haloscope/fields.h"

namespace halo {

enum class StateOutcome : uint8_t { kAgrees, kDiffers, kFailed };
constexpr std::array<std::string_view, 3> EnumTexts(StateOutcome /*type*/) {
  return {"agrees", "differs", "failed"};
}

struct CheckedState {
  size_t number = 0;  // among the states
  PassState state;
  StateOutcome outcome = StateOutcome::kAgrees;  // against the first state
  int64_t wrong = 0;                             // results
  std::string why;                               // it failed
};

template <class V>
void Fields(V& v, CheckedState& r) {
  Fields(v, r.state);
  v("outcome", r.outcome, "against the first state: `agrees`, `differs` or `failed`");
  v("wrong", r.wrong, "results that differ");
  v("why", r.why, "why it failed", v0::FieldFlag::kIfAny);
}

struct BrokenPass {
  std::string refused;      // why there is no result
  Diagnostics diagnostics;  // of the first state, if it cannot run
  std::string module;
  size_t states = 0;
  std::vector<CheckedState> checked;   // in order of compilation
  std::optional<PassState> good, bad;  // consecutive, but for states between that cannot run
  int64_t skipped = 0;                 // those
  // False if both agree with each other: then differences grew over several passes.
  bool is_confirmed = false;
  NumbersResult between;                 // the good state against the bad one
  std::optional<SandboxReport> sandbox;  // set by front ends that have one

  [[nodiscard]] bool agrees() const { return refused.empty() && !bad; }
};

// With `every`, runs all states instead of bisecting, and reports the first that differs.
BrokenPass FindBrokenPass(const std::vector<PassState>& states, const NumbersRequest& request,
                          bool every);

}  // namespace halo

#endif  // HALO_API_NUMBERS_BROKEN_PASS_H_
