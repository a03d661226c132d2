// What was measured on one machine: seconds of a kernel by the amount of its work, for each kind of
// kernel and each kind of work. Caches, the cost of starting a kernel and the number of threads
// that small kernels use are in the curves and need no model. halo/api/time measures them.
#ifndef HALO_COST_PREDICT_MACHINE_CURVES_H_
#define HALO_COST_PREDICT_MACHINE_CURVES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/cost/count/cost.h"
#include "halo/cost/predict/kernel_kind.h"
#include "halo/cost/predict/op_time.h"
#include "halo/ir/module.h"

namespace halo {

struct CurvePoint {
  double work = 0, seconds = 0;
};

class WorkCurve {
 public:
  WorkCurve() = default;
  // Points may come in any order; of several with the same work, the fastest counts.
  explicit WorkCurve(std::vector<CurvePoint> points);
  [[nodiscard]] const std::vector<CurvePoint>& points() const { return points_; }
  // Between two points as a power of the work, beyond the last one in proportion to it.
  [[nodiscard]] double Seconds(double work) const;
  // What the work adds to a kernel that takes `start` without it.
  [[nodiscard]] double Beyond(double start, double work) const;
  // Of the least work: the cost of running a kernel at all.
  [[nodiscard]] double Start() const { return points_.empty() ? 0 : points_.front().seconds; }
  // The most work per second of any point.
  [[nodiscard]] double BestRate() const;

 private:
  std::vector<CurvePoint> points_;  // by work
};

// A curve's name is what it was measured on: "loop bytes", "product bf16 flops".
struct MachineCurves {
  std::map<std::string, WorkCurve, std::less<>> by_name;

  [[nodiscard]] const WorkCurve* Find(std::string_view name) const;
};

// The work that a kernel is measured by, with the name of the curve that it belongs to.
struct KernelWork {
  std::string curve;
  double amount = 0;
  bool is_call = false;  // of a library: work below the least measured one costs as much
};
// The kinds of work that limit a kernel. The first is what it waits for in memory; the others are
// arithmetic and take their time one after the other.
std::vector<KernelWork> WorkOf(const Module& module, const Kernel& kernel, const Cost& cost);

// Nothing if no curve of such a kernel was measured.
std::optional<OpTime> PredictOnMachine(const Module& module, const Kernel& kernel, const Cost& cost,
                                       const MachineCurves& curves);

}  // namespace halo

#endif  // HALO_COST_PREDICT_MACHINE_CURVES_H_
