// How many positions a window has over a base: the arithmetic that convolutions and window
// reductions share, with every overflow detected.
#ifndef HALO_SEMANTICS_RULES_WINDOW_BOUNDS_H_
#define HALO_SEMANTICS_RULES_WINDOW_BOUNDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/ir/attributes/window.h"
#include "halo/semantics/rules/rule_context.h"

namespace halo {

// Returns the number of positions along one dimension; nothing if a number overflows 64 bits.
std::optional<int64_t> WindowPositions(int64_t base, const WindowDim& dim);

// Returns the number of positions along every dimension of `base`; nothing after a report.
std::optional<std::vector<int64_t>> WindowedDims(RuleContext& op, std::span<const int64_t> base,
                                                 const Window& window);

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_WINDOW_BOUNDS_H_
