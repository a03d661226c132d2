// Determines when two instructions are structurally alike: opcode, shape, the attributes that
// affect what is computed, and the structure of what is called; not names, values of constants,
// metadata or channels.
#ifndef HALO_VIEW_MODEL_SIGNATURES_H_
#define HALO_VIEW_MODEL_SIGNATURES_H_

#include <cstdint>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/ir/module.h"

namespace halo::view {

class Signatures {
 public:
  Signatures(const Module& module, const CallGraph& calls);

  // The signature of the instruction alone.
  [[nodiscard]] uint64_t of(InstId inst) const { return insts_[inst.index()]; }
  [[nodiscard]] uint64_t of(CompId comp) const { return comps_[comp.index()]; }

 private:
  [[nodiscard]] uint64_t Own(const Inst& inst) const;

  const Module& module_;
  std::vector<uint64_t> attrs_;  // by AttrListId, without called computations
  std::vector<uint64_t> insts_;
  std::vector<uint64_t> comps_;
};

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_SIGNATURES_H_
