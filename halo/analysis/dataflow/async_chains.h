// The chains of async ops (a start, its updates, its done), each followed once: which computation
// an op runs, and which operands a chain binds to its parameters.
#ifndef HALO_ANALYSIS_DATAFLOW_ASYNC_CHAINS_H_
#define HALO_ANALYSIS_DATAFLOW_ASYNC_CHAINS_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/ir/module.h"

namespace halo {

class AsyncChains {
 public:
  AsyncChains(const Module& module, const Users& users);

  // The computation that an op's chain runs; invalid if the text folds it into the op.
  [[nodiscard]] CompId computation(InstId async) const;
  // The operands of a start, then those that later ops of its chain add.
  [[nodiscard]] std::span<const InstId> bound(InstId start) const;
  // The number of the parameter that operand 1 of an update or done is bound to; those of further
  // operands follow. SIZE_MAX if the op continues no start.
  [[nodiscard]] size_t first_bound(InstId link) const;

 private:
  void FindComputation(const Module& module, InstId async);
  void Follow(const Module& module, const Users& users, InstId start);

  std::unordered_map<uint32_t, CompId> computations_;        // by op
  std::unordered_map<uint32_t, std::vector<InstId>> bound_;  // by start
  std::unordered_map<uint32_t, size_t> first_bound_;         // by update or done
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DATAFLOW_ASYNC_CHAINS_H_
