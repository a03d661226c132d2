// Reads the text of a buffer assignment, of any generation, whole or in pieces, into one
// Assignment. Errors are reported with their location and reading continues; lines that no
// generation printed are kept with a warning. Whether the assignment is sound is decided elsewhere.
#ifndef HALO_MEMORY_TEXT_READ_ASSIGNMENT_H_
#define HALO_MEMORY_TEXT_READ_ASSIGNMENT_H_

#include <span>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct AssignmentReadResult {
  Assignment assignment;
  // One for each text, in the order given.
  std::vector<Diagnostics> diagnostics;
  std::vector<AssignmentPieces> pieces;

  [[nodiscard]] bool ok() const;
  [[nodiscard]] AssignmentPieces all_pieces() const;
};

// The texts are pieces of one assignment, in any order; a single piece is enough.
AssignmentReadResult ReadAssignment(std::span<const std::string_view> texts);
AssignmentReadResult ReadAssignment(std::string_view text);

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_READ_ASSIGNMENT_H_
