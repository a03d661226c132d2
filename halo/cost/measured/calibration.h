// What a profile says about the models: for each kind of kernel, how much longer its instructions
// take than predicted, and the same for the step as a whole. Applied to another program on the same
// device, or to a changed one, it predicts with the errors of the models taken out on average.
#ifndef HALO_COST_MEASURED_CALIBRATION_H_
#define HALO_COST_MEASURED_CALIBRATION_H_

#include <array>
#include <string>
#include <string_view>

#include "halo/base/diagnostics/result.h"
#include "halo/cost/predict/kernel_kind.h"
#include "halo/cost/predict/op_time.h"
#include "halo/cost/timeline/step_time.h"

namespace halo {

struct Calibration {
  std::string device;   // that was measured
  std::string program;  // that it ran
  // Factors; 0 for kinds that were not measured.
  std::array<double, kKernelKinds> kinds = {};
  double step = 1;  // what remains between calibrated instructions and the measured step

  // The time of one instruction; its floor stays.
  void Apply(KernelKind kind, OpTime& time) const;
  void Apply(StepTime& step_time) const;
};

// Adds up instructions of one kind, and gives the factor of all.
class CalibrationSums {
 public:
  void Add(KernelKind kind, double measured, double predicted);
  [[nodiscard]] Calibration Fit() const;

 private:
  std::array<double, kKernelKinds> measured_ = {}, predicted_ = {};
};

std::string CalibrationJson(const Calibration& calibration);
// An error says which field is wrong.
Result<Calibration> ReadCalibration(std::string_view json);

}  // namespace halo

#endif  // HALO_COST_MEASURED_CALIBRATION_H_
