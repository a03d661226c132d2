// The dimension numbers of gathers and scatters: which dimensions of the indices hold index vectors
// and which are batches, and the checks that both ops share.
#ifndef HALO_SEMANTICS_RULES_INDEX_DIMS_H_
#define HALO_SEMANTICS_RULES_INDEX_DIMS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/semantics/rules/rule_context.h"

namespace halo {

// Checks that the values are sorted, distinct and in [0, rank).
bool NeedSortedDims(RuleContext& op, AttrKey key, std::span<const int64_t> values, size_t rank);

bool HasDim(std::span<const int64_t> sorted, size_t dim);

// Returns the dimensions of the indices, with index_vector_dim appended if it is implied; nothing
// after a report.
std::optional<std::vector<int64_t>> IndexDims(RuleContext& op, size_t indices_operand,
                                              int64_t index_vector_dim);

// Check that each index vector names dimensions of the operand, and that batch dimensions pair up.
bool NeedIndexMap(RuleContext& op, AttrKey map_key, std::span<const int64_t> index_dims,
                  int64_t index_vector_dim, size_t operand_rank);
bool NeedBatching(RuleContext& op, AttrKey operand_key, AttrKey indices_key, size_t operand_rank,
                  size_t indices_rank);

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_INDEX_DIMS_H_
