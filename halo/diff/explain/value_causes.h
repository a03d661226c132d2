// Gathers edits of values into causes: edits that touch each other are one instance, and instances
// with the same description are one cause, as in repeated layers.
#ifndef HALO_DIFF_EXPLAIN_VALUE_CAUSES_H_
#define HALO_DIFF_EXPLAIN_VALUE_CAUSES_H_

#include <vector>

#include "halo/diff/explain/edits.h"

namespace halo {

void AddValueCauses(const MatchedPrograms& programs, const Edits& edits,
                    std::vector<DiffCause>& causes);

}  // namespace halo

#endif  // HALO_DIFF_EXPLAIN_VALUE_CAUSES_H_
