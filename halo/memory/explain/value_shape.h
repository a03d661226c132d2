// A value's shape for display and accounting: from the module's shape if the value is bound to one,
// otherwise from the text that the assignment prints.
#ifndef HALO_MEMORY_EXPLAIN_VALUE_SHAPE_H_
#define HALO_MEMORY_EXPLAIN_VALUE_SHAPE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/memory/bind/bound_assignment.h"

namespace halo {

struct ValueShape {
  std::string_view dtype;  // "bf16"; "tuple table" of a tuple
  bool is_tuple = false;
  bool is_float = false;
  int64_t logical_bytes = 0;  // of an array without its padding; 0 if not an array or too large
  std::vector<int64_t> dims;  // of an array, bounds for dynamic ones
};

ValueShape ShapeOfValue(const BoundAssignment& bound, ValueId id);
// Cheaper if only this is needed.
bool IsTupleValue(const BoundAssignment& bound, ValueId id);

// The same from a printed shape.
ValueShape ShapeFromPrinted(std::string_view text);

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_VALUE_SHAPE_H_
