// What changed between two programs: `halo diff` as a function.
#ifndef HALOSCOPE_DIFF_H_
#define HALOSCOPE_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haloscope/document.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct DiffState;

struct DiffRequest {
  size_t top = 1000;   // causes at most
  std::string device;  // to predict times for; empty: the one the programs were compiled for
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
  // How much longer the kernels concerned take in a step, as predicted; nothing if that is unknown.
  // A kernel may belong to several causes.
  std::optional<double> seconds;
  double confidence = 1;
  std::vector<DiffPlace> places;
};

// A part of the change of memory.
struct DiffPeakCause {
  std::string kind;  // "donation", "fusion", "copy", "live range", ...
  std::string what;
  int64_t count = 0, bytes = 0;
  // How much planning the first program with this change alone changes its memory; nothing if the
  // change cannot be replayed.
  std::optional<int64_t> replayed_bytes;
  std::vector<DiffPlace> places;
};

// How the memory that the programs need changed. The four terms add up to after - before, and so
// do the bytes of the causes.
struct DiffPeak {
  int64_t before = 0, after = 0;  // bytes of all allocations in the device's main memory
  int64_t only_after = 0, only_before = 0, resized = 0, packing = 0;
  std::vector<DiffPeakCause> causes;
};

// How the predicted time of a step changed.
struct DiffStep {
  double before = 0, after = 0;  // seconds
  std::string device;
};

struct DiffResult {
  bool succeeded = false;
  std::string refused;  // why the programs were not compared
  bool same_values = false, same = false;
  std::string verdict;                                                         // one sentence
  int64_t matched = 0, changed = 0, deleted = 0, inserted = 0, ambiguous = 0;  // distinct values
  std::vector<DiffCause> causes;  // changes of values first, then by bytes, then by time

  std::optional<DiffPeak> peak;  // nothing if a program is neither scheduled nor has an assignment
  std::optional<DiffStep> step;  // nothing if no device is known

  // The output of `halo diff --json`, schema halo.diff.v1.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;

  std::shared_ptr<const DiffState> state;  // what ToJson needs
};

HALO_EXPORT DiffResult Diff(const Document& before, const Document& after,
                            const DiffRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_DIFF_H_
