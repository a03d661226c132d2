// Two programs as one module to draw: the second program, with what only the first one has
// inserted where it was. The module is only drawn: inserted instructions call nothing, and what
// read them has them as additional operands.
#ifndef HALO_VIEW_COMPARE_MERGED_MODULE_H_
#define HALO_VIEW_COMPARE_MERGED_MODULE_H_

#include <cstdint>
#include <vector>

#include "halo/ir/module.h"
#include "halo/view/compare/inst_match.h"

namespace halo::view {

struct MergedModule {
  Module module;
  // By instruction of the module: the instruction of each program; one of them is valid.
  std::vector<InstId> before, after;
  std::vector<InstState> states;
  // By instruction of each program: the one that shows it; invalid if none does.
  std::vector<InstId> of_before, of_after;
};

MergedModule MergeModules(const Module& before, const Module& after, const InstMatch& match);

}  // namespace halo::view

#endif  // HALO_VIEW_COMPARE_MERGED_MODULE_H_
