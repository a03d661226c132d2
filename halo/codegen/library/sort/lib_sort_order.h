// What a sort's comparator says, if it is an order on numbers: one key after another, each a value
// of an operand seen in a certain way. Anything else is left to the evaluator.
#ifndef HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_ORDER_H_
#define HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_ORDER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

struct SortKey {
  size_t operand = 0;
  ElementType type{};  // the operand's: integers, pred, f16, bf16, f32, f64
  bool descending = false;
  // Floats: by their total order, -NaN < -Inf < -0 < +0 < +Inf < NaN; otherwise by `<`, under which
  // NaN is neither before nor behind anything.
  bool total = false;
  bool total_equal = false;  // "equal", which leads on to the next key, is by the total order
  bool joins_zeros = false;  // -0 counts as +0
  bool joins_nans = false;   // every NaN counts as the same positive one
};

// Nothing if the computation is not recognised. The most significant key first.
std::optional<std::vector<SortKey>> FindSortOrder(const Module& module, CompId comparator);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_ORDER_H_
