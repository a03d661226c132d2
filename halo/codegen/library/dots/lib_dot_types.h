// Selects the types in which a dot is computed: kernel types that hold its operands exactly and
// accumulate as widely as its result needs.
#ifndef HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_TYPES_H_
#define HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_TYPES_H_

#include <cstdint>
#include <vector>

#include "halo/ir/types/element_type.h"

namespace halo {

struct DotTypes {
  ElementType a{}, b{}, c{};
  // The type as which c's bits are read when they are converted to the result type.
  ElementType sum{};
  bool complex = false;  // then a, b and c are the types of the parts
};

// Suitable types, best first; empty if no kernel supports the dot.
std::vector<DotTypes> ChooseDotTypes(ElementType lhs, ElementType rhs, ElementType result,
                                     int64_t summed);

// True if memory of one type can be used as memory of the other.
bool SameRepresentation(ElementType a, ElementType b);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_TYPES_H_
