// The predicted time of one instruction: a value, a range, where it comes from and how far to trust
// it. Every figure that `halo time` shows is one of these or a sum of them.
#ifndef HALO_COST_PREDICT_OP_TIME_H_
#define HALO_COST_PREDICT_OP_TIME_H_

#include <cstdint>
#include <string_view>

namespace halo {

enum class TimeSource : uint8_t {
  kNone,        // takes no time
  kAutotune,    // measured by XLA's autotuner when the program was compiled
  kModel,       // a model with constants fitted to measurements
  kRoofline,    // work and bytes by the device's rates, nothing fitted for this kind of kernel
  kUnknown,     // a call that only its target understands; its bytes are a lower bound
  kCalibrated,  // one of these, times what a profile says about its kind of kernel
  kMeasured,    // between kernels of this kind that were measured on this machine
};
std::string_view TimeSourceText(TimeSource source);

enum class TimeConfidence : uint8_t { kHigh, kMedium, kLow, kNone };
std::string_view TimeConfidenceText(TimeConfidence confidence);

// What limits an instruction.
enum class TimeBound : uint8_t {
  kNothing,
  kCompute,
  kMemory,
  kLatency,  // launching it, and filling the device
  kLink,     // connections between devices
  kHost,     // the connection to the host
  kAtomics,  // updates of the same addresses, which depend on the data
  kUnknown,
};
std::string_view TimeBoundText(TimeBound bound);

struct OpTime {
  double seconds = 0;
  double low = 0, high = 0;  // range that the time is expected in
  double floor = 0;          // no device of this kind can be faster
  TimeSource source = TimeSource::kNone;
  TimeConfidence confidence = TimeConfidence::kHigh;
  TimeBound bound = TimeBound::kNothing;
};

}  // namespace halo

#endif  // HALO_COST_PREDICT_OP_TIME_H_
