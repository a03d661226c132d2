// The edits that a match implies. A value that only reads an inserted or deleted one is no edit by
// itself.
#ifndef HALO_DIFF_EXPLAIN_EDITS_H_
#define HALO_DIFF_EXPLAIN_EDITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/diff/explain/program_diff.h"
#include "halo/diff/match/matched_programs.h"

namespace halo {

enum class EditKind : uint8_t { kChanged, kRewired, kDeleted, kInserted };

struct Edit {
  EditKind kind = EditKind::kChanged;
  uint32_t a = kUnmatched, b = kUnmatched;  // classes
};

struct Edits {
  std::vector<Edit> values;
  std::vector<uint32_t> outputs;  // numbers of results that come from other values
};

Edits FindEdits(const MatchedPrograms& programs);
DiffCounts CountEdits(const MatchedPrograms& programs, const Edits& edits);

}  // namespace halo

#endif  // HALO_DIFF_EXPLAIN_EDITS_H_
