// What the text says about an allocation after its size: color, page, parameter, output and flags,
// up to the closing colon. Assignments and old memory usage reports print it in the same way.
#ifndef HALO_MEMORY_TEXT_ALLOCATION_TRAITS_H_
#define HALO_MEMORY_TEXT_ALLOCATION_TRAITS_H_

#include <string_view>

#include "halo/base/strings/text_buffer.h"
#include "halo/memory/model/assignment.h"
#include "halo/memory/text/line_fields.h"

namespace halo {

// Returns what is wrong where `fields` stopped; empty if the line was read to its end.
std::string_view TakeAllocationTraits(Fields& fields, Assignment& texts, Allocation& allocation);

void WriteAllocationTraits(const Assignment& texts, const Allocation& allocation,
                           const AssignmentStyle& style, TextBuffer& out);

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_ALLOCATION_TRAITS_H_
