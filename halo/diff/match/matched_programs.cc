// Where both programs have metadata, op_name helps; it never decides alone against other evidence.
// The graphs of the two programs are built at the same time.
#include "halo/diff/match/matched_programs.h"

#include "halo/base/hash.h"
#include "halo/base/parallel.h"

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

MatchedPrograms::MatchedPrograms(const Module& before, const Module& after) : a(before), b(after) {
  MatchHints hints;
  const auto build = [](const Module& module, ValueGraph& graph, ClassGraph& classes,
                        std::vector<uint64_t>& names) {
    graph = BuildValueGraph(module);
    classes = ClassGraph(module, graph);
    names = OpNames(module, classes);
  };
  ParallelFor(2, 1, true, [&](int64_t begin, int64_t end) {
    if (begin == 0) build(a, graph_a, classes_a, hints.a);
    if (end == 2) build(b, graph_b, classes_b, hints.b);
  });
  match = MatchClasses(classes_a, classes_b, hints);
}

}  // namespace halo
