// The checker's result as text and as JSON: one paragraph per finding, with its values, bytes, time
// and advice, followed by what was proved and what could not be decided.
#ifndef HALO_API_CHECK_ASSIGNMENT_FINDINGS_H_
#define HALO_API_CHECK_ASSIGNMENT_FINDINGS_H_

#include <string>
#include <string_view>

#include "halo/memory/check/violation.h"
#include "halo/memory/model/assignment.h"

namespace halo {

std::string FindingsText(const Assignment& assignment, const AssignmentFindings& found);

// Schema halo.memory-check.v1; `path` names what was checked.
std::string FindingsJson(std::string_view path, const Assignment& assignment,
                         const AssignmentFindings& found);

}  // namespace halo

#endif  // HALO_API_CHECK_ASSIGNMENT_FINDINGS_H_
