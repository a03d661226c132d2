// Names of the words of op_time.h, as text and JSON print them.
#include "halo/cost/predict/op_time.h"

#include <array>

namespace halo {

std::string_view TimeSourceText(TimeSource source) {
  constexpr std::array<std::string_view, 7> kTexts = {
      "none", "autotune", "model", "roofline", "unknown", "calibrated", "measured"};
  return kTexts[static_cast<size_t>(source)];
}

std::string_view TimeConfidenceText(TimeConfidence confidence) {
  constexpr std::array<std::string_view, 4> kTexts = {"high", "medium", "low", "none"};
  return kTexts[static_cast<size_t>(confidence)];
}

std::string_view TimeBoundText(TimeBound bound) {
  constexpr std::array<std::string_view, 8> kTexts = {"nothing", "compute", "memory",  "latency",
                                                      "links",   "host",    "atomics", "unknown"};
  return kTexts[static_cast<size_t>(bound)];
}

}  // namespace halo
