// Two programs as graphs of values, and the match between them.
#ifndef HALO_DIFF_MATCH_MATCHED_PROGRAMS_H_
#define HALO_DIFF_MATCH_MATCHED_PROGRAMS_H_

#include "halo/diff/graph/class_graph.h"
#include "halo/diff/match/match.h"
#include "halo/ir/module.h"

namespace halo {

// The modules must outlive it.
struct MatchedPrograms {
  MatchedPrograms(const Module& before, const Module& after);
  MatchedPrograms(const MatchedPrograms&) = delete;  // the graphs point into it
  MatchedPrograms& operator=(const MatchedPrograms&) = delete;

  const Module& a;
  const Module& b;
  ValueGraph graph_a, graph_b;
  ClassGraph classes_a, classes_b;
  ClassMatch match;
};

}  // namespace halo

#endif  // HALO_DIFF_MATCH_MATCHED_PROGRAMS_H_
