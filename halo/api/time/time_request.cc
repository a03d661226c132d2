// Checks the values and looks up what they name.
#include "halo/api/time/time_request.h"

#include <utility>

#include "halo/api/describe/choice_lists.h"
#include "halo/describe/check_request.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

constexpr double kGigabyte = 1e9;

}  // namespace

Result<TimeRequest> RequestOf(const v0::TimeRequest& asked) {
  if (const std::string problem = describe::CheckRequest(asked, ChoicesNamed); !problem.empty()) {
    return MakeBinaryDiagnostic(diag::kCannotExplain, 0, problem);
  }
  TimeRequest request;
  request.device = asked.device;
  if (!asked.device_json.empty()) {
    Result<TimeDevice> device = ReadDeviceFile(asked.device_json);
    if (!device.ok()) return device.error();
    request.own_device = *std::move(device);
  }
  if (!asked.backend.empty()) request.backend = BackendFromName(asked.backend);
  if (!asked.calibration.empty()) {
    Result<Calibration> calibration = ReadCalibration(asked.calibration);
    if (!calibration.ok()) return calibration.error();
    request.calibration = *std::move(calibration);
  }
  request.advise = asked.advice;
  request.profiles = asked.profiles;
  if (asked.profile_step) request.profile_step = static_cast<size_t>(*asked.profile_step);
  request.links = asked.links.value_or(0) * kGigabyte;
  request.network = asked.network.value_or(0) * kGigabyte;
  request.nodes = asked.nodes.value_or(0);
  request.copies = asked.data_parallel.value_or(0);
  return request;
}

void TakeRequestedTexts(const v0::TimeRequest& asked, TimeInputs& inputs) {
  if (!asked.autotune_results.empty()) inputs.autotune = TimeText{{}, asked.autotune_results};
  if (!asked.target_config.empty()) inputs.target_config = TimeText{{}, asked.target_config};
}

}  // namespace halo
