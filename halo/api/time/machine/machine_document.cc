// Everything was measured, so that no figure names its source.
#include "halo/api/time/machine/machine_document.h"

#include "halo/api/time/time_document.h"
#include "halo/describe/write_json.h"

namespace halo {

documents::MachineResult MachineDocument(const TimeDevice& device, std::string_view path) {
  documents::MachineResult document;
  document.path = path;
  document.name = device.name;
  document.title = device.title;
  document.figures = DeviceFiguresOf(device.rates, /*with_sources=*/false);
  for (const auto& [name, curve] : device.curves->by_name) {
    document.curves.push_back({.name = name,
                               .points = static_cast<int64_t>(curve.points().size()),
                               .start_seconds = curve.Start(),
                               .best_rate = curve.BestRate()});
  }
  return document;
}

std::string MachineJson(const TimeDevice& device, std::string_view path) {
  return describe::DocumentJson(MachineDocument(device, path));
}

}  // namespace halo
