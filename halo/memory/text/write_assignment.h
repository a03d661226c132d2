// Prints an assignment as XLA would, in the style of any generation. print(read(x)) is x for text
// that XLA printed.
#ifndef HALO_MEMORY_TEXT_WRITE_ASSIGNMENT_H_
#define HALO_MEMORY_TEXT_WRITE_ASSIGNMENT_H_

#include "halo/base/strings/text_buffer.h"
#include "halo/memory/model/assignment.h"

namespace halo {

// Prints these pieces as one text. What the assignment does not know is omitted: without live
// ranges there are none to print, whatever the style.
void WriteAssignment(const Assignment& assignment, const AssignmentStyle& style,
                     AssignmentPieces pieces, TextBuffer& out);

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_WRITE_ASSIGNMENT_H_
