// The time of a program as the viewer shows it: the result of `halo time` on one device, and its
// timeline, ready for requests about parts of it.
#ifndef HALO_VIEW_MODEL_SHOWN_TIME_H_
#define HALO_VIEW_MODEL_SHOWN_TIME_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "halo/api/time/time.h"
#include "halo/view/model/shown_assignment.h"
#include "halo/view/time/timeline_index.h"

namespace halo::view {

class ShownTime {
 public:
  // `profile_problem` says why the open profiles are left out.
  ShownTime(TimeResult result, std::string profile_problem);

  [[nodiscard]] const TimeResult& result() const { return result_; }
  [[nodiscard]] const std::string& profile_problem() const { return profile_problem_; }
  [[nodiscard]] const Module& module() const { return *result_.inputs.module; }
  // Null if the instruction takes no time.
  [[nodiscard]] const TimedOp* op(InstId inst) const;
  // Measured seconds of one run and how many events; null if nothing was measured.
  [[nodiscard]] const ComparedOp* measured(InstId inst) const;
  // Memory over time is that of `plan`, if it is given when this is first called and the program is
  // scheduled.
  const TimelineIndex& timeline(const ShownAssignment* plan);

 private:
  TimeResult result_;
  std::string profile_problem_;
  std::vector<uint32_t> ops_, measured_;  // by instruction, position in the lists of the result
  std::unique_ptr<TimelineIndex> timeline_;
};

// Describes the failure in one line.
std::string WhyNoTime(const TimeResult& result);

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_SHOWN_TIME_H_
