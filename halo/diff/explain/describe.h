// Instructions and their differences in words.
#ifndef HALO_DIFF_EXPLAIN_DESCRIBE_H_
#define HALO_DIFF_EXPLAIN_DESCRIBE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "halo/diff/explain/program_diff.h"
#include "halo/diff/graph/value_label.h"
#include "halo/diff/match/matched_programs.h"

namespace halo {

class Describer {
 public:
  explicit Describer(const MatchedPrograms& programs);

  // "multiply", "loop state", "fusion".
  [[nodiscard]] static std::string OpText(const Module& module, const ClassGraph& graph,
                                          uint32_t c);
  // What differs between two matched values: "convert: f32[8] became bf16[8]".
  [[nodiscard]] std::string Change(uint32_t x, uint32_t y);
  [[nodiscard]] static std::string NameOf(const Module& module, InstId inst);
  [[nodiscard]] static int64_t BytesOf(const Module& module, InstId inst);

 private:
  const MatchedPrograms& programs_;
  ValueLabels labels_a_, labels_b_;
};

// Appends the kernels that compute a value.
void AppendKernels(const ClassGraph& graph, uint32_t c, std::vector<InstId>& kernels);

// "2 add, 1 multiply", the most frequent first, a few at most.
std::string CountedList(const std::map<std::string, int64_t>& counts);

}  // namespace halo

#endif  // HALO_DIFF_EXPLAIN_DESCRIBE_H_
