// Counts a module's collectives: how many, how many bytes, in what groups, how often per run.
#ifndef HALO_API_INFO_COLLECTIVE_INFO_H_
#define HALO_API_INFO_COLLECTIVE_INFO_H_

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/analysis/graph/run_counts.h"
#include "halo/api/info/module_info.h"
#include "halo/ir/module.h"

namespace halo {

// The shape of what an instruction produces: for X-start's (operands, results, ...), only the
// results.
ShapeId ResultShape(const Module& module, const Inst& inst);

// The opcode under which a collective is counted (X for X-start in any notation), or kUnknown.
Opcode CollectiveOf(const Inst& inst);

class CollectiveCounter {
 public:
  CollectiveCounter(const Module& module, const std::vector<RunCount>& runs);

  // Counts the instruction if it is a collective; `fused` and `wrapped` say how its computation
  // runs.
  void Add(const Inst& inst, CompId comp, bool fused, bool wrapped);
  // Sorted by bytes per run.
  std::vector<v0::InfoCollective> Take();

  // Devices in a group; pairs of a permute.
  int64_t GroupSizeOf(const Inst& inst);
  // The larger of operands and results.
  [[nodiscard]] int64_t BytesMoved(const Inst& inst) const;

 private:
  const Module& module_;
  const std::vector<RunCount>& runs_;
  std::map<Opcode, v0::InfoCollective> by_opcode_;
  std::unordered_map<uint32_t, int64_t> group_sizes_;  // keyed by the groups' text
  std::set<std::pair<Opcode, int64_t>> fused_channels_;
};

}  // namespace halo

#endif  // HALO_API_INFO_COLLECTIVE_INFO_H_
