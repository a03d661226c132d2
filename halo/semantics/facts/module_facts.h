// Facts about a module that several rules need, derived once: parameters by number, users, callers,
// and what kind of caller a computation has. Every list is as long as the module.
#ifndef HALO_SEMANTICS_FACTS_MODULE_FACTS_H_
#define HALO_SEMANTICS_FACTS_MODULE_FACTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

struct CompFacts {
  std::vector<InstId> parameters;  // by number; none where a number is missing
  bool parameters_ok = true;       // numbered 0, 1, 2, ... each once
  bool usable = false;             // defined, with its own root
  bool is_fused = false;           // a fusion calls it
  bool is_async = false;           // an async-start wraps it
  bool is_applied = false;         // a reduction, a sort, ... applies it to elements
  bool reachable = false;
};

class ModuleFacts {
 public:
  explicit ModuleFacts(const Module& module);

  [[nodiscard]] const CompFacts& comp(CompId id) const { return comps_[id.index()]; }
  [[nodiscard]] bool usable(CompId id) const {
    return id.index() < comps_.size() && comps_[id.index()].usable;
  }
  // Returns the instructions that have `id` as an operand, each once, in order.
  [[nodiscard]] std::span<const InstId> users(InstId id) const {
    return {users_.data() + users_begin_[id.index()], users_.data() + users_begin_[id.index() + 1]};
  }
  // Returns the instructions that call `id`, in order.
  [[nodiscard]] std::span<const InstId> callers(CompId id) const {
    return {callers_.data() + callers_begin_[id.index()],
            callers_.data() + callers_begin_[id.index() + 1]};
  }
  // Returns true if every operand is an instruction of the module. The readers report it if one is
  // not.
  [[nodiscard]] bool operands_ok(InstId id) const { return operands_ok_[id.index()]; }

  [[nodiscard]] int64_t replica_count() const { return replica_count_; }
  [[nodiscard]] int64_t num_partitions() const { return num_partitions_; }
  // Returns true if some layout has tiles, as TPU layouts do.
  [[nodiscard]] bool tiled_layouts() const { return tiled_layouts_; }
  // Returns true if the computation is reachable from the entry computation, or if no entry is
  // known. XLA drops unreachable ones.
  [[nodiscard]] bool reachable(CompId id) const {
    return id.index() >= comps_.size() || comps_[id.index()].reachable;
  }

 private:
  void FindOperands(const Module& module);
  void FindUsers(const Module& module);
  void FindCallers(const Module& module);
  void FindParameters(const Module& module);
  void FindReachable(const Module& module);

  std::vector<CompFacts> comps_;
  std::vector<bool> operands_ok_;
  std::vector<uint32_t> users_begin_;
  std::vector<InstId> users_;
  std::vector<uint32_t> callers_begin_;
  std::vector<InstId> callers_;
  int64_t replica_count_ = 1;
  int64_t num_partitions_ = 1;
  bool tiled_layouts_ = false;
};

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_MODULE_FACTS_H_
