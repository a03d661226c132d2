// What was measured on this machine as users see it: `halo time --calibrate --json`.
#ifndef HALO_API_TIME_MACHINE_MACHINE_DOCUMENT_H_
#define HALO_API_TIME_MACHINE_MACHINE_DOCUMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/cost/device/time_device.h"
#include "haloscope/time.h"

namespace halo::documents {

struct MachineCurve {
  std::string name;
  int64_t points = 0;
  double start_seconds = 0, best_rate = 0;
};

template <class V>
void Fields(V& v, MachineCurve& r) {
  v("name", r.name, "the kind of kernel and of work: `loop bytes`, `product bf16 flops`");
  v("points", r.points, "sizes that were measured");
  v("start_seconds", r.start_seconds, "of the smallest one", v0::Unit::kSeconds);
  v("best_rate", r.best_rate, "work per second of the fastest one");
}

struct MachineResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.machine.v1";

  std::string path, name, title;
  std::vector<v0::DeviceFigure> figures;
  std::vector<MachineCurve> curves;
};

template <class V>
void Fields(V& v, MachineResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("path", r.path, "the device file that was written");
  v("name", r.name, "of the device");
  v("title", r.title, "of the processor");
  v("figures", r.figures, "that were measured");
  v("curves", r.curves, "by kind of kernel and of work");
}

}  // namespace halo::documents

namespace halo {

// `path` is the device file that was written.
documents::MachineResult MachineDocument(const TimeDevice& device, std::string_view path);
std::string MachineJson(const TimeDevice& device, std::string_view path);

}  // namespace halo

#endif  // HALO_API_TIME_MACHINE_MACHINE_DOCUMENT_H_
