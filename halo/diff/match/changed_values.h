// Values that are not computed by the same op but occur at the same position between matched
// neighbours: an op that was replaced, or whose attributes, type or dimensions changed.
#ifndef HALO_DIFF_MATCH_CHANGED_VALUES_H_
#define HALO_DIFF_MATCH_CHANGED_VALUES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "halo/diff/graph/class_graph.h"

namespace halo {

struct ClassMatch;

// Of the given values of A: pairs that prefer each other over every other candidate. The operation
// must be the same, or the neighbours on both sides must agree.
std::vector<std::pair<uint32_t, uint32_t>> FindChanged(const ClassGraph& a, const ClassGraph& b,
                                                       const ClassMatch& match,
                                                       const std::vector<uint32_t>& unmatched);

}  // namespace halo

#endif  // HALO_DIFF_MATCH_CHANGED_VALUES_H_
