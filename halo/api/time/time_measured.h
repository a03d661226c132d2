// Measured times beside predicted ones: the part of `halo time` that needs a profile.
#ifndef HALO_API_TIME_TIME_MEASURED_H_
#define HALO_API_TIME_TIME_MEASURED_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/cost/measured/calibration.h"
#include "halo/cost/measured/join_profiles.h"
#include "halo/cost/predict/kernel_kind.h"

namespace halo {

struct TimedOp;
struct TimeRequest;
struct TimeResult;

// A profile whose bytes, decompressed, the caller keeps.
struct OpenProfile {
  std::string path;
  std::string_view bytes;
};

// A profile as it was read, without its events.
struct ProfileSummary {
  std::string path;
  ProfileKind kind = ProfileKind::kXSpace;
  size_t events = 0, devices = 0, programs = 0;
  Diagnostics diagnostics;
};

// One instruction that was measured and predicted.
struct ComparedOp {
  size_t op = 0;       // index in TimeResult::ops
  double seconds = 0;  // measured, of one run
  size_t events = 0;
};

// Instructions of one kind.
struct ComparedKind {
  KernelKind kind = KernelKind::kNone;
  size_t count = 0;
  double measured = 0, predicted = 0, floor = 0;  // of all runs
};

struct TimeMeasured {
  std::string verdict;
  MeasuredModule join;
  std::vector<ComparedOp> ops;         // the largest difference of a step first
  std::vector<ComparedKind> kinds;     // longest first
  double measured = 0, predicted = 0;  // of all of `ops` and their runs
  double error = 0;                    // time-weighted mean of |predicted - measured| / measured
  size_t containers = 0;   // measured instructions that are loops and calls around others
  size_t unpredicted = 0;  // other measured instructions that were not predicted
  double unpredicted_seconds = 0;
  size_t unmeasured = 0;  // predicted instructions that no event names
  double unmeasured_seconds = 0;
};

// Joins the request's profiles, which it adds to the result, with the result's module. Nothing if a
// profile cannot be read or has nothing of the module; diagnostics say why.
std::optional<TimeMeasured> CompareWithProfiles(const TimeRequest& request, TimeResult& result);

// The factors that make the predictions of this result agree with its profiles, and the step that
// follows from them agree with the measured one.
Calibration CalibrationFrom(const TimeRequest& request, const TimeResult& result);

}  // namespace halo

#endif  // HALO_API_TIME_TIME_MEASURED_H_
