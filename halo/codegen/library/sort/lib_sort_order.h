// Recognizes a sort comparator that is an order on numbers: one key after another, each a value of
// an operand with a certain interpretation. Everything else is left to generated code
// (forms/lower_sort.cc).
#ifndef HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_ORDER_H_
#define HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_ORDER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

struct SortKey {
  size_t operand = 0;
  ElementType type{};  // of the operand: integers, pred, floats
  bool descending = false;
  // For floats: ordered by their total order, -NaN < -Inf < -0 < +0 < +Inf < NaN; otherwise by `<`,
  // under which NaN is neither before nor after anything.
  bool total = false;
  bool total_equal = false;  // "equal", which leads to the next key, uses the total order
  bool joins_zeros = false;  // -0 is treated as +0
  bool joins_nans = false;   // every NaN is treated as the same positive one
  // Of a single key: comparators that are no order. What they sort to depends on which elements are
  // compared, so the evaluator's merge sort defines it.
  enum class Relation : uint8_t { kBefore, kBeforeOrEqual, kEqual, kNotEqual };
  Relation relation = Relation::kBefore;
};

// Returns nullopt if the computation is not recognized. The most significant key comes first.
std::optional<std::vector<SortKey>> FindSortOrder(const Module& module, CompId comparator);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_ORDER_H_
