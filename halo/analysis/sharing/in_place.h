// Which operands an instruction must write its result over: those of dynamic-update-slice, scatter,
// started all-reduces, anything with output_to_operand_aliasing, and fusions that reduce to one of
// these.
#ifndef HALO_ANALYSIS_SHARING_IN_PLACE_H_
#define HALO_ANALYSIS_SHARING_IN_PLACE_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/sharing/sharing_rules.h"

namespace halo {

struct InPlacePair {
  uint32_t operand = 0;       // number
  uint32_t operand_node = 0;  // within its shape
  uint32_t result_node = 0;
};

class InPlacePairs {
 public:
  InPlacePairs(const Dataflow& flow, const SharingRules& rules);

  [[nodiscard]] std::span<const InPlacePair> of(InstId inst) const {
    return {pairs_.data() + begins_[inst.index()], pairs_.data() + begins_[inst.index() + 1]};
  }

 private:
  void AddDefault(InstId inst);
  void AddStated(InstId inst);
  void AddFused(InstId inst);
  void AddAsync(InstId inst);
  // The position a value comes from, through tuples and ops that the backend treats as no-ops.
  [[nodiscard]] Position Source(Position position) const;
  [[nodiscard]] std::vector<InPlacePair> Find(InstId inst);
  // Find for an instruction inside a fusion; for a nested fusion, returns what is already known.
  [[nodiscard]] std::vector<InPlacePair> FindInside(InstId inst, bool body_only);

  const Dataflow& flow_;
  const Module& module_;
  SharingRules rules_;
  std::vector<InPlacePair> found_;  // of the current instruction
  std::unordered_map<uint32_t, std::vector<InPlacePair>> known_;
  std::unordered_map<uint32_t, std::vector<InPlacePair>> fused_;  // pairs found in fusion bodies
  std::vector<uint32_t> begins_;
  std::vector<InPlacePair> pairs_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_SHARING_IN_PLACE_H_
