// A program as the values it computes. Fusions, calls, async pairs, tuples, copies, reshapes and
// bitcasts are not nodes: an edge leads to the instruction that computes the value. The state of a
// loop is a node for each array of it, whose number in the loop's tuple does not count. Nodes are
// in an order in which operands come first; only the updates of loop states point forward.
//
// The graph is linear in the module: a computation that is called at several places is expanded at
// each of them only while the graph stays small, otherwise its calls are nodes. There is no graph
// if it would be large nevertheless, because many instructions read the same wide tuple.
#ifndef HALO_DIFF_GRAPH_VALUE_GRAPH_H_
#define HALO_DIFF_GRAPH_VALUE_GRAPH_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/base/containers/flat_vector.h"
#include "halo/diff/graph/value_label.h"
#include "halo/ir/module.h"

namespace halo {

// A value that is read: output `out` of a node, seen with certain dimensions.
struct ValueEdge {
  uint32_t node = 0;
  uint32_t out = 0;
  uint32_t view = 0;  // digest of the dimensions it is read with
};

enum class ValueKind : uint8_t { kOp, kParameter, kConstant, kState, kLoop, kBranch };

struct ValueNode {
  uint64_t label = 0;
  InstId inst;    // that computes it; of a loop state, the loop
  InstId kernel;  // the outermost fusion around it; the instruction itself if there is none
  uint32_t edges_begin = 0, edges_count = 0;
  uint32_t update = UINT32_MAX;  // of a loop state: an index into edges
  ValueKind kind = ValueKind::kOp;
  bool commutes = false;
};

// An instruction that only moves a value: a copy.
struct MovedValue {
  InstId inst;
  ValueEdge value;
};

struct ValueGraph {
  FlatVector<ValueNode> nodes;
  FlatVector<ValueEdge> edges;
  std::vector<ValueEdge> outputs;  // leaves of the entry computation's result
  std::vector<MovedValue> copies;
  std::vector<uint32_t> loops;  // state nodes
  std::string_view problem;     // why there is no graph, as in "the program ..."

  [[nodiscard]] bool is_complete() const { return problem.empty(); }
  [[nodiscard]] std::span<const ValueEdge> edges_of(const ValueNode& node) const {
    return {edges.data() + node.edges_begin, node.edges_count};
  }
};

ValueGraph BuildValueGraph(const Module& module, const LabelOptions& options = {});

}  // namespace halo

#endif  // HALO_DIFF_GRAPH_VALUE_GRAPH_H_
