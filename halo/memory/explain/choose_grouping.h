// How to group what is in memory if the user does not say: by scope, unless that puts nearly
// everything into one group or has no names for most of it.
#ifndef HALO_MEMORY_EXPLAIN_CHOOSE_GROUPING_H_
#define HALO_MEMORY_EXPLAIN_CHOOSE_GROUPING_H_

#include <string>
#include <vector>

#include "halo/memory/explain/explain.h"

namespace halo {

// `reason` says what is wrong with scopes; it is empty if `by` is the scope.
void ChooseGrouping(const std::vector<LiveEntry>& entries, GroupBy& by, std::string& reason);

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_CHOOSE_GROUPING_H_
