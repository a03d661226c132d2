// The cost of every instruction of a module and of whole computations. Loops count as often as they
// run where the compiler recorded that, once where it did not; of a conditional's branches, the
// largest figure of each kind counts.
#ifndef HALO_COST_COUNT_MODULE_COST_H_
#define HALO_COST_COUNT_MODULE_COST_H_

#include <optional>
#include <string_view>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/cost/count/cost.h"
#include "halo/cost/count/wire_use.h"
#include "halo/ir/module.h"
#include "halo/memory/backend/backend.h"

namespace halo {

// How the cost of a computation that an instruction runs adds to its caller's.
struct RunCall {
  CompId comp;
  double times = 1;
  bool times_known = true;
  bool is_branch = false;  // only one branch of several runs
};

class ModuleCost {
 public:
  // `backend` tells which memory spaces are on the chip.
  ModuleCost(const Module& module, std::optional<Backend> backend);

  // Why the module has no cost; empty if it has one.
  [[nodiscard]] std::string_view problem() const { return problem_; }
  // Of one execution; of instructions that run computations, nothing but their own cost.
  [[nodiscard]] const Cost& of(InstId inst) const { return insts_[inst.index()]; }
  [[nodiscard]] WireUse wire(InstId inst) { return wire_.Of(module_.inst(inst)); }
  // Of one run of a computation, including what it runs.
  [[nodiscard]] const Cost& total(CompId comp) const { return totals_[comp.index()]; }
  // The same with every loop counted once, as XLA's cost analysis does.
  [[nodiscard]] const Cost& once(CompId comp) const { return once_[comp.index()]; }
  // False if the trip count of a loop is unknown.
  [[nodiscard]] bool trips_known() const { return trips_known_; }
  // Computations that run as part of the program, callees before callers.
  [[nodiscard]] const std::vector<CompId>& order() const { return order_; }
  // The computations that an instruction runs as part of the program.
  void RunBy(const Inst& inst, std::vector<RunCall>& out) const;

 private:
  void CountComputation(CompId comp);
  void SumComputation(CompId comp);

  const Module& module_;
  CallGraph calls_;
  WireCounter wire_;
  std::vector<Cost> insts_;
  std::vector<Work> work_;  // of one run of each embedded computation
  std::vector<Cost> totals_, once_;
  std::vector<CompId> order_;
  bool trips_known_ = true;
  std::string_view problem_;
};

}  // namespace halo

#endif  // HALO_COST_COUNT_MODULE_COST_H_
