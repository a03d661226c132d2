// Two compilations side by side: the last state at which both are equal, and the pass after which
// they first differ. States are aligned by pipeline, pass and occurrence; a pass that left a state
// in one compilation only differs too.
#ifndef HALO_API_PASSES_COMPARE_PASSES_H_
#define HALO_API_PASSES_COMPARE_PASSES_H_

#include <optional>
#include <string>
#include <vector>

#include "halo/api/passes/pass_states.h"
#include "halo/diff/diff.h"

namespace halo {

struct PassDiff {
  std::string refused;  // why there is no result
  size_t states_before = 0, states_after = 0;
  size_t equal = 0;                           // pairs of equal states, counted up to there
  std::optional<PassState> last_a, last_b;    // equal
  std::optional<PassState> first_a, first_b;  // different; one is none if only the other ran
  std::string pass;                           // "pipeline/pass"; empty if nothing differs
  ProgramDiff did_a, did_b;                   // what the pass did in each
  ProgramDiff between;                        // the states after it
  [[nodiscard]] bool same() const { return refused.empty() && pass.empty(); }
};

PassDiff ComparePasses(const std::vector<PassState>& before, const std::vector<PassState>& after,
                       const OpenOptions& options);

}  // namespace halo

#endif  // HALO_API_PASSES_COMPARE_PASSES_H_
