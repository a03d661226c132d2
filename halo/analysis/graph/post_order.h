// The order in which XLA numbers a computation's instructions: operands before users, first operand
// first, control predecessors before operands, starting from the instructions without users: unused
// parameters by number, then the others in text order.
#ifndef HALO_ANALYSIS_GRAPH_POST_ORDER_H_
#define HALO_ANALYSIS_GRAPH_POST_ORDER_H_

#include <span>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/ir/module.h"

namespace halo {

class PostOrder {
 public:
  PostOrder(const Module& module, const Users& users);

  // Appends the instructions of `comp` to `out`.
  void Append(CompId comp, std::vector<InstId>& out);

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  void Push(InstId inst);
  // Appends what an instruction without users depends on, and the instruction itself.
  void AppendFrom(InstId sink, std::vector<InstId>& out);

  const Module& module_;
  const Users& users_;
  std::vector<State> states_;
  std::vector<InstId> stack_;
};

// Computations in XLA's numbering order: as the dump lists them, callees first. A computation that
// the text folds into an async op comes right before the computation that holds the op.
std::vector<CompId> ComputationOrder(const Module& module);

// `order` with the computations of `given` in the sequence of `given`; the others keep their
// places.
std::vector<CompId> InGivenOrder(std::vector<CompId> order, std::span<const CompId> given);

}  // namespace halo

#endif  // HALO_ANALYSIS_GRAPH_POST_ORDER_H_
