// How many positions a window has over a base: the arithmetic that convolutions and window
// reductions share, with every overflow caught.
#ifndef HALO_SEMANTICS_RULES_WINDOW_BOUNDS_H_
#define HALO_SEMANTICS_RULES_WINDOW_BOUNDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/ir/attributes/window.h"
#include "halo/semantics/rules/rule_context.h"

namespace halo {

// Positions along one dimension; nothing if a number passes 64 bits.
std::optional<int64_t> WindowPositions(int64_t base, const WindowDim& dim);

// Positions along every dimension of `base`, or nothing after a report.
std::optional<std::vector<int64_t>> WindowedDims(RuleContext& op, std::span<const int64_t> base,
                                                 const Window& window);

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_WINDOW_BOUNDS_H_
