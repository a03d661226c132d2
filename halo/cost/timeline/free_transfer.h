// How far apart the begin of a transfer and the wait for it could be: operands and users allow it
// to begin earlier and to be waited for later than scheduled. What that saves is found by
// simulating it.
#ifndef HALO_COST_TIMELINE_FREE_TRANSFER_H_
#define HALO_COST_TIMELINE_FREE_TRANSFER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/cost/timeline/step_timeline.h"
#include "halo/ir/module.h"

namespace halo {

class TransferMover {
 public:
  explicit TransferMover(const Module& module);

  // Moves each transfer, which is an asynchronous start or a collective without halves, as far as
  // it goes. Leaves out those that cannot move. `starts` must be in the order of the schedule.
  [[nodiscard]] std::vector<MovedTransfer> Free(const std::vector<InstId>& starts) const;

  // A transfer in the body of a loop as it runs if each iteration starts it for the next one: from
  // the begin of the body to its end. Nothing if its operands need what the iteration before
  // computes, other than the counter.
  [[nodiscard]] std::optional<MovedTransfer> AnIterationAhead(InstId start) const;
  // The loop whose body an instruction is in; none if it is in none.
  [[nodiscard]] InstId LoopOf(InstId inst) const;

  // For each instruction of its computation, from the first on: whether it neither needs the
  // transfer nor is needed by it, so that another schedule could run it at the same time.
  [[nodiscard]] std::vector<bool> Independent(InstId start) const;
  [[nodiscard]] const Users& users() const { return users_; }

 private:
  [[nodiscard]] InstId DoneOf(InstId start) const;
  // The position after everything that the operands need.
  [[nodiscard]] uint32_t Ready(InstId inst, const std::vector<MovedTransfer>& moved) const;
  // The position of the first instruction that needs the value.
  [[nodiscard]] uint32_t FirstUse(InstId value) const;

  const Module& module_;
  Users users_;
  std::map<uint32_t, InstId> loops_;  // by the number of their body
};

}  // namespace halo

#endif  // HALO_COST_TIMELINE_FREE_TRANSFER_H_
