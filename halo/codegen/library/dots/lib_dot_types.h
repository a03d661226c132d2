// In which types a dot is computed: those of the kernels that hold its operands exactly and sum as
// widely as its result needs.
#ifndef HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_TYPES_H_
#define HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_TYPES_H_

#include <cstdint>
#include <vector>

#include "halo/ir/types/element_type.h"

namespace halo {

struct DotTypes {
  ElementType a{}, b{}, c{};
  // The type as which c's bits are to be read when they are converted to the result's.
  ElementType sum{};
  bool complex = false;  // then a, b and c are the types of the parts
};

// Those that would do, the best first; none if no kernel does.
std::vector<DotTypes> ChooseDotTypes(ElementType lhs, ElementType rhs, ElementType result,
                                     int64_t summed);

// True if one type's memory can be taken for the other's.
bool SameRepresentation(ElementType a, ElementType b);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_TYPES_H_
