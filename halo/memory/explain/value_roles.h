// What each value is to the person who wrote the program: weights, optimizer state, activations,
// gradients, as far as names and uses tell it.
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
  // By the value's own instruction or, where that says nothing, by one it shares its place with.
  [[nodiscard]] Origin OriginOf(ValueId value) const;
  [[nodiscard]] bool is_donated(const Allocation& allocation) const;

 private:
  [[nodiscard]] ValueRole RoleOfParameter(ValueId value) const;
  [[nodiscard]] bool FeedsTheModel(ValueId value) const;
  void LinkNeighbours();

  const BoundAssignment& bound_;
  const Assignment& assignment_;
  const Origins& origins_;
  std::vector<ValueId> neighbour_;             // a value with a name at the same place
  std::vector<std::vector<int64_t>> weights_;  // dimensions, sorted
};

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_VALUE_ROLES_H_
