// Digests of values: of each node's label and of everything it is computed from.
#ifndef HALO_DIFF_GRAPH_CONE_HASH_H_
#define HALO_DIFF_GRAPH_CONE_HASH_H_

#include <cstdint>
#include <vector>

#include "halo/diff/graph/value_graph.h"

namespace halo {

// By node. Equal digests mean equal values, as far as operands show.
std::vector<uint64_t> HashCones(const ValueGraph& graph);

}  // namespace halo

#endif  // HALO_DIFF_GRAPH_CONE_HASH_H_
