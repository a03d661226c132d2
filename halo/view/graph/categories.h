// What an instruction is for, in the few kinds that a picture can tell apart by colour.
#ifndef HALO_VIEW_GRAPH_CATEGORIES_H_
#define HALO_VIEW_GRAPH_CATEGORIES_H_

#include <cstdint>
#include <string_view>

#include "halo/ir/module.h"

namespace halo::view {

enum class Category : uint8_t {
  kMatmul,  // products and convolutions, also in fusions and library calls
  kCollective,
  kCustomCall,
  kReduce,  // reductions, sorts, scatters
  kFusion,  // none of these inside
  kElementwise,
  kMovement,  // copies, slices, reshapes, gathers
  kControl,   // loops, calls, branches
  kTuple,     // tuples and their elements, bitcasts
  kParameter,
  kConstant,
  kOther,
};
inline constexpr size_t kCategories = 12;
std::string_view CategoryText(Category category);

Category CategoryOf(const Module& module, const Inst& inst);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_CATEGORIES_H_
