// Kernels that reduce rows of a few elements.
#ifndef HALO_CODEGEN_FORMS_LOWER_TINY_ROWS_H_
#define HALO_CODEGEN_FORMS_LOWER_TINY_ROWS_H_

#include <optional>
#include <string>

#include "halo/codegen/forms/reduction_form.h"
#include "halo/codegen/kernel/kernel_schedule.h"

namespace halo {

// Returns nullopt if rows are too long or too few, or if they take too much code; `why` is then
// set.
std::optional<KernelPart> LowerTinyRows(const BodyPtr& body, const ReductionForm& form,
                                        std::string& why);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_LOWER_TINY_ROWS_H_
