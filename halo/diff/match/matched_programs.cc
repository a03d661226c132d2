// Where both programs have metadata, op_name helps; it never decides alone against other evidence.
#include "halo/diff/match/matched_programs.h"

#include "halo/base/hash.h"

namespace halo {
namespace {

// Digests of op_name by class; 0 where there is none.
std::vector<uint64_t> OpNames(const Module& module, const ClassGraph& graph) {
  std::vector<uint64_t> out(graph.size(), 0);
  for (uint32_t c = 0; c < graph.size(); ++c) {
    const std::string_view name =
        module.MetadataText(module.inst(graph.node(c).inst), AttrKey::k_op_name);
    if (!name.empty()) out[c] = HashBytes(name.data(), name.size()) | 1;
  }
  return out;
}

}  // namespace

MatchedPrograms::MatchedPrograms(const Module& before, const Module& after)
    : a(before),
      b(after),
      graph_a(BuildValueGraph(before)),
      graph_b(BuildValueGraph(after)),
      classes_a(before, graph_a),
      classes_b(after, graph_b),
      match(MatchClasses(classes_a, classes_b, [this] {
        return MatchHints{OpNames(a, classes_a), OpNames(b, classes_b)};
      }())) {}

}  // namespace halo
