// What is wrong with a buffer assignment, as part of `halo check`'s result for its file.
// halo/memory/check finds it; this code decides which module and which backend's rules apply.
#ifndef HALO_API_CHECK_ASSIGNMENT_FINDINGS_H_
#define HALO_API_CHECK_ASSIGNMENT_FINDINGS_H_

#include <string_view>

#include "halo/api/check/check_document.h"
#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"

namespace halo {

// Checks an assignment and adds the findings to its file. `module` may be null; a module that the
// assignment does not belong to is ignored.
void AddFindings(const Assignment& assignment, const Module* module, std::string_view module_path,
                 CheckedFile& checked);
// The same for a document that contains an assignment. Does nothing if it contains none, or one
// that was not read without errors.
void AddFindings(const Document& document, CheckedFile& checked);

}  // namespace halo

#endif  // HALO_API_CHECK_ASSIGNMENT_FINDINGS_H_
