// Measures this machine with the compiled engine: the device that `halo time --calibrate` writes.
#ifndef HALO_API_TIME_MACHINE_CALIBRATE_H_
#define HALO_API_TIME_MACHINE_CALIBRATE_H_

#include <functional>
#include <string>
#include <string_view>

#include "halo/api/run/compiled_engine.h"
#include "halo/base/diagnostics/result.h"
#include "halo/cost/device/time_device.h"

namespace halo {

struct CalibrateRequest {
  CompiledEngine* engine = nullptr;
  int threads = 0;        // 0: the number of cores
  std::string cache_dir;  // for compiled code; empty: nothing is cached
  std::string title;      // of the device; empty: the name of the processor
  std::function<void(size_t done, size_t all)> progress;
};

Result<TimeDevice> CalibrateMachine(const CalibrateRequest& request);

// The device as text for people: peaks, bandwidth by size, what starting a kernel costs.
std::string MachineText(const TimeDevice& device);

}  // namespace halo

#endif  // HALO_API_TIME_MACHINE_CALIBRATE_H_
