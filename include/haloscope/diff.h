// What changed between two programs: `halo diff` as a function.
#ifndef HALOSCOPE_DIFF_H_
#define HALOSCOPE_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "haloscope/document.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct DiffState;

struct DiffRequest {
  size_t top = 1000;  // causes at most
};

// Names of instructions; one is empty if only the other program has the instruction.
struct DiffPlace {
  std::string before, after;
};

struct DiffCause {
  // "values", "outputs", "repeated", "fusion", "layout", "copy", "collective", "schedule",
  // "donation", "sharding", "config" or "module".
  std::string kind;
  std::string what;  // a sentence, the same for all instances
  std::string op_name;
  int64_t count = 0, bytes = 0;
  double confidence = 1;
  std::vector<DiffPlace> places;
};

struct DiffResult {
  bool succeeded = false;
  std::string refused;  // why the programs were not compared
  bool same_values = false, same = false;
  std::string verdict;                                                         // one sentence
  int64_t matched = 0, changed = 0, deleted = 0, inserted = 0, ambiguous = 0;  // distinct values
  std::vector<DiffCause> causes;  // changes of values first, then by bytes

  // The output of `halo diff --json`, schema halo.diff.v1.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;

  std::shared_ptr<const DiffState> state;  // what ToJson needs
};

HALO_EXPORT DiffResult Diff(const Document& before, const Document& after,
                            const DiffRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_DIFF_H_
