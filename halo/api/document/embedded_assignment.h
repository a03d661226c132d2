// The buffer assignment inside a serialized module. It is the plan that XLA made, so requests use
// it instead of planning again. Texts of the same assignment contain more (uses, live ranges) and
// come first where a dump has both.
#ifndef HALO_API_DOCUMENT_EMBEDDED_ASSIGNMENT_H_
#define HALO_API_DOCUMENT_EMBEDDED_ASSIGNMENT_H_

#include "halo/api/document/document.h"

namespace halo {

// The pieces of an assignment that a serialized module holds.
inline constexpr AssignmentPieces kEmbeddedPieces =
    AssignmentPieces().With(AssignmentPiece::kAllocations);

// True if the module carries an assignment, without reading it.
bool HasEmbeddedAssignment(const DocumentModule& module);

// Reads it. Entries that do not fit the module are reported and skipped.
Assignment EmbeddedAssignment(const DocumentModule& module, Diagnostics& diagnostics);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_EMBEDDED_ASSIGNMENT_H_
