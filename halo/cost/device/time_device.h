// The device that times are predicted for: one of halo's own, or one that a user's file describes.
#ifndef HALO_COST_DEVICE_TIME_DEVICE_H_
#define HALO_COST_DEVICE_TIME_DEVICE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/cost/predict/machine_curves.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/backend/device_rates.h"

namespace halo {

struct TimeDevice {
  std::string name;
  std::string title;  // "NVIDIA H100 80GB"
  std::optional<Backend> backend;
  DeviceRates rates;
  std::shared_ptr<const MachineCurves> curves;  // null unless measured there
};

// Names of the devices with known rates, in the order of the table.
std::vector<std::string_view> TimeDeviceNames();

// Upper and lower case do not matter; nothing if no rates of such a device are known.
std::optional<TimeDevice> FindTimeDevice(std::string_view name);

// Reads a device file, a JSON object:
//   {"name": "h100-pcie", "like": "h100", "bandwidth": 2.04e12, "bf16": 7.57e14}
// `like` names the device whose figures count where the file has none. An error says which field is
// wrong. `curves` has what was measured on the device: an array of [work, seconds] by name.
Result<TimeDevice> ReadDeviceFile(std::string_view json);
// The file that it reads, with all figures that are known.
std::string DeviceFileJson(const TimeDevice& device);

}  // namespace halo

#endif  // HALO_COST_DEVICE_TIME_DEVICE_H_
