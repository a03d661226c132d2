// A factor is the ratio of sums, so that long instructions count for more than short ones.
#include "halo/cost/measured/calibration.h"

#include <algorithm>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

constexpr std::string_view kCalibrationSchema = "halo.calibration.v1";

Diagnostic BadCalibration(std::string message) {
  return MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message));
}

bool IsFactor(double value) { return value > 0 && value <= 1e6; }

}  // namespace

void Calibration::Apply(KernelKind kind, OpTime& time) const {
  const double factor = kinds[static_cast<size_t>(kind)];
  if (factor <= 0 || time.seconds <= 0) return;
  time.seconds *= factor;
  time.low *= factor;
  time.high *= factor;
  time.source = TimeSource::kCalibrated;
}

void Calibration::Apply(StepTime& step_time) const {
  step_time.estimate *= step;
  step_time.compute *= step;
  step_time.gaps *= step;
  step_time.exposed *= step;
  step_time.stalled *= step;
  step_time.unknown *= step;
  step_time.serial = std::max(step_time.serial, step_time.estimate);
}

void CalibrationSums::Add(KernelKind kind, double measured, double predicted) {
  measured_[static_cast<size_t>(kind)] += measured;
  predicted_[static_cast<size_t>(kind)] += predicted;
}

Calibration CalibrationSums::Fit() const {
  Calibration calibration;
  for (size_t i = 0; i < kKernelKinds; ++i) {
    if (measured_[i] > 0 && predicted_[i] > 0) {
      calibration.kinds[i] = std::clamp(measured_[i] / predicted_[i], 1e-6, 1e6);
    }
  }
  return calibration;
}

std::string CalibrationJson(const Calibration& calibration) {
  JsonWriter json;
  json.BeginObject()
      .Field("schema", kCalibrationSchema)
      .Field("device", calibration.device)
      .Field("program", calibration.program)
      .Field("step", calibration.step);
  json.Key("kinds").BeginObject();
  for (size_t i = 0; i < kKernelKinds; ++i) {
    if (calibration.kinds[i] <= 0) continue;
    json.Field(KernelKindText(static_cast<KernelKind>(i)), calibration.kinds[i]);
  }
  json.EndObject().EndObject();
  return std::string(json.view());
}

Result<Calibration> ReadCalibration(std::string_view json) {
  const std::optional<JsonValue> value = ParseJson(json);
  if (!value || !value->is_object() || (*value)["schema"].AsString() != kCalibrationSchema) {
    return BadCalibration(
        "this is no calibration: `halo time --profile --save-calibration` writes one");
  }
  Calibration calibration;
  calibration.device = (*value)["device"].AsString();
  calibration.program = (*value)["program"].AsString();
  calibration.step = (*value)["step"].AsDouble(0);
  if (!IsFactor(calibration.step)) return BadCalibration("\"step\" must be a positive number");
  const JsonValue& kinds = (*value)["kinds"];
  for (size_t i = 0; i < kinds.keys.size(); ++i) {
    size_t kind = 0;
    while (kind < kKernelKinds && KernelKindText(static_cast<KernelKind>(kind)) != kinds.keys[i]) {
      ++kind;
    }
    if (kind == kKernelKinds) return BadCalibration("no kind of kernel is called " + kinds.keys[i]);
    calibration.kinds[kind] = kinds.items[i].AsDouble(0);
    if (!IsFactor(calibration.kinds[kind])) {
      return BadCalibration("\"" + kinds.keys[i] + "\" must be a positive number");
    }
  }
  return calibration;
}

}  // namespace halo
