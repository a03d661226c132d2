// What an allocation is, as the text says it after its size: color, page, parameter, output and
// flags, up to the closing colon. Assignments and old memory usage reports have it alike.
#ifndef HALO_MEMORY_TEXT_ALLOCATION_TRAITS_H_
#define HALO_MEMORY_TEXT_ALLOCATION_TRAITS_H_

#include <string_view>

#include "halo/base/strings/text_buffer.h"
#include "halo/memory/model/assignment.h"
#include "halo/memory/text/line_fields.h"

namespace halo {

// What is wrong where `fields` stopped; empty if the line was read to its end.
std::string_view TakeAllocationTraits(Fields& fields, Assignment& texts, Allocation& allocation);

void WriteAllocationTraits(const Assignment& texts, const Allocation& allocation,
                           const AssignmentStyle& style, TextBuffer& out);

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_ALLOCATION_TRAITS_H_
