// What each value is to the author of the program: weights, optimizer state, activations,
// gradients, as far as names and uses tell.
#ifndef HALO_MEMORY_EXPLAIN_VALUE_ROLES_H_
#define HALO_MEMORY_EXPLAIN_VALUE_ROLES_H_

#include <vector>

#include "halo/memory/explain/explain.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/model/assignment.h"

namespace halo {

class ValueRoles {
 public:
  ValueRoles(const BoundAssignment& bound, const Origins& origins);

  [[nodiscard]] ValueRole Of(ValueId value) const;
  // The origin of the value's own instruction or, if that has no name, of one it shares memory
  // with.
  [[nodiscard]] Origin OriginOf(ValueId value) const;
  [[nodiscard]] bool is_donated(const Allocation& allocation) const;

 private:
  [[nodiscard]] ValueRole RoleOfParameter(ValueId value) const;
  [[nodiscard]] bool FeedsTheModel(ValueId value) const;
  void LinkNeighbours();

  const BoundAssignment& bound_;
  const Assignment& assignment_;
  const Origins& origins_;
  std::vector<ValueId> neighbour_;             // a named value in the same memory
  std::vector<std::vector<int64_t>> weights_;  // dimensions, sorted
};

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_VALUE_ROLES_H_
