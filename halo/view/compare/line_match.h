// The texts of two programs side by side: rows of one line each, in the order of both. Lines that
// correspond are one row where that keeps the order; elsewhere they are linked. Renamed and
// renumbered lines correspond as their values do.
#ifndef HALO_VIEW_COMPARE_LINE_MATCH_H_
#define HALO_VIEW_COMPARE_LINE_MATCH_H_

#include <cstdint>
#include <vector>

#include "halo/view/compare/inst_match.h"
#include "halo/view/model/text_index.h"

namespace halo::view {

inline constexpr uint32_t kNoLine = UINT32_MAX;

struct LineMatch {
  // By row: the line of each text, kNoLine if it has none there, and what happened to it.
  std::vector<uint32_t> before, after;
  std::vector<InstState> before_states, after_states;
  // By line: the corresponding line of the other text, also if it is in another row.
  std::vector<uint32_t> before_links, after_links;
};

LineMatch MatchLines(const TextIndex& before, const TextIndex& after, const InstMatch& insts);

}  // namespace halo::view

#endif  // HALO_VIEW_COMPARE_LINE_MATCH_H_
