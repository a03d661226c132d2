// What an instruction is for, in the few kinds that a picture can tell apart by colour.
#ifndef HALO_VIEW_GRAPH_CATEGORIES_H_
#define HALO_VIEW_GRAPH_CATEGORIES_H_

#include <cstdint>
#include <string_view>

#include "halo/ir/module.h"
#include "halo/ir/op_properties.h"

namespace halo::view {

using Category = OpCategory;
inline constexpr size_t kCategories = 12;
std::string_view CategoryText(Category category);

Category CategoryOf(const Module& module, const Inst& inst);

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_CATEGORIES_H_
