// Which rules the checker applies to an assignment of a backend. The checker itself knows no
// backends.
#ifndef HALO_API_DOCUMENT_ASSIGNMENT_RULES_H_
#define HALO_API_DOCUMENT_ASSIGNMENT_RULES_H_

#include <optional>

#include "halo/memory/backend/backend.h"
#include "halo/memory/check/check_assignment.h"

namespace halo {

CheckRules CheckRulesOf(std::optional<Backend> backend);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_ASSIGNMENT_RULES_H_
