// What would make a step faster, and by how much: each suggestion is one change, and its figure is
// the difference of two simulations, with and without it.
#ifndef HALO_API_TIME_TIME_ADVICE_H_
#define HALO_API_TIME_TIME_ADVICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/cost/count/module_cost.h"
#include "halo/cost/predict/predictor.h"
#include "halo/cost/timeline/step_timeline.h"

namespace halo {

struct TimeResult;

enum class TimeAdviceKind : uint8_t {
  kOverlap,      // run collectives beside kernels that do not depend on them
  kIndependent,  // exposed wherever they start: change the order of kernels, or the program
  kNarrow,       // products in bf16
  kCopies,       // do without copies
  kGraph,        // no gaps between kernels
  kAhead,        // start collectives of a loop one iteration ahead
  kFuse,         // one kernel instead of two
  kDonate,       // let results use the memory of parameters, which are copied otherwise
};
std::string_view TimeAdviceText(TimeAdviceKind kind);

struct TimeAdvice {
  TimeAdviceKind kind = TimeAdviceKind::kOverlap;
  std::string text;                // what to do, in a sentence
  double seconds = 0;              // saved in a step
  bool at_most = false;            // the change may save less
  double exposed = 0;              // of collectives: seconds that kernels wait for them
  std::vector<std::string> names;  // instructions
  double bytes = 0;                // that stay in memory longer
};

struct TimeAdviceInputs {
  const Module& module;
  ModuleCost& cost;
  const Predictor& predictor;
  const std::vector<OpTime>& times;
  TimelineOptions options;
};

// Most seconds first. `result` has its ops and its timeline.
std::vector<TimeAdvice> AdviseOnTime(const TimeAdviceInputs& inputs, const TimeResult& result);

}  // namespace halo

#endif  // HALO_API_TIME_TIME_ADVICE_H_
