// Why two programs take different times: the predicted change of the step as terms that add up, and
// kernels gathered by what happened to them.
#ifndef HALO_API_DIFF_STEP_CHANGE_H_
#define HALO_API_DIFF_STEP_CHANGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/diff/explain/program_diff.h"
#include "halo/diff/match/matched_programs.h"

namespace halo {

struct StepPlace {
  std::string before, after;  // kernels; empty if only the other program has one for the value
  double seconds = 0;
};

struct StepCause {
  std::string what;
  int64_t count = 0;
  double seconds = 0;
  std::vector<StepPlace> places;  // the largest change first
};

struct StepChange {
  double before = 0, after = 0;  // seconds of a step
  std::string device;
  // Terms of after - before.
  double only_after = 0, only_before = 0;  // kernels for values that the other has no kernel for
  double changed = 0;                      // kernels for the same values
  double gaps = 0;                         // between kernels
  double exposed = 0;                      // waiting for collectives
  double stalled = 0;                      // waiting for copies and other asynchronous work
  std::vector<StepCause> causes;           // of the first three terms, the largest first

  [[nodiscard]] double seconds() const { return after - before; }
};

// `programs` are the first modules of the documents. None if a program is not scheduled, is too
// large, or runs on a device that is unknown or another one than the other program's. Otherwise
// `causes`, those of the comparison, are given their times as well.
std::shared_ptr<const StepChange> StepOfDocuments(const Document& before, const Document& after,
                                                  const MatchedPrograms& programs,
                                                  const std::string& device,
                                                  std::vector<DiffCause>& causes);

}  // namespace halo

#endif  // HALO_API_DIFF_STEP_CHANGE_H_
