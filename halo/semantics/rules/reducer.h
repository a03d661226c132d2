// Computations that combine two elements (or two of each of several values) into one: those that
// reductions, window reductions, scatters and collectives apply.
#ifndef HALO_SEMANTICS_RULES_REDUCER_H_
#define HALO_SEMANTICS_RULES_REDUCER_H_

#include <span>
#include <vector>

#include "halo/semantics/rules/rule_context.h"

namespace halo {

// Returns the shapes that the reducer yields for each of its values; empty after a report.
std::vector<ShapeId> ReducerResults(RuleContext& op, CompId reducer, size_t values);

// Checks that the reducer takes `init.size()` accumulators and as many elements of types `inputs`,
// and yields the accumulators.
bool NeedReducer(RuleContext& op, CompId reducer, std::span<const ElementType> init,
                 std::span<const ElementType> inputs);

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_REDUCER_H_
