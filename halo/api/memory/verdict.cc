// Each part of the sentence is left out if nothing is known about it.
#include "halo/api/memory/verdict.h"

#include <algorithm>

#include "halo/api/memory/memory.h"
#include "halo/base/strings/human_size.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/explain/origins.h"

namespace halo {
namespace {

std::string_view DevicesText(std::optional<Backend> backend) {
  if (backend == Backend::kGpu) return "GPU";
  return backend == Backend::kTpu ? "TPU" : "device";
}

std::string DeviceText(const DeviceFit& device) {
  return device.name + " (" + HumanBytes(device.capacity) + ")";
}

std::string CapacityText(const MemoryVerdict& verdict) {
  const int64_t left = *verdict.capacity - verdict.total_bytes;
  const std::string into = verdict.device.empty()
                               ? HumanBytes(*verdict.capacity)
                               : verdict.device + " (" + HumanBytes(*verdict.capacity) + ")";
  return left >= 0 ? "fits " + into + ", " + HumanBytes(left) + " to spare"
                   : "DOES NOT FIT " + into + ", " + HumanBytes(-left) + " too large";
}

// Devices are sorted, so those that fit are the last ones.
std::string FittingDevices(const MemoryVerdict& verdict, std::string_view kind) {
  const auto first = std::find_if(verdict.devices.begin(), verdict.devices.end(),
                                  [](const DeviceFit& each) { return each.fits; });
  if (first == verdict.devices.begin()) return "fits every known " + std::string(kind);
  if (first == verdict.devices.end()) {
    return "fits no known " + std::string(kind) + ", the largest is " +
           DeviceText(verdict.devices.back());
  }
  return "fits " + DeviceText(*first) + " and larger, not " + DeviceText(*std::prev(first));
}

std::string PeakText(const MemoryVerdict& verdict) {
  std::string text =
      verdict.scope.empty() ? "peak at " + verdict.instruction : "peak in " + verdict.scope;
  if (!verdict.phase.empty()) text += " " + verdict.phase;
  if (!verdict.source.empty()) text += ", " + verdict.source;
  return text;
}

std::string Sentence(const MemoryResult& result, const MemoryVerdict& verdict) {
  std::string text = HumanBytes(verdict.total_bytes);
  if (verdict.capacity) text += " " + CapacityText(verdict);
  text += "; " + std::to_string(verdict.temporary_percent) + "% temporary";
  if (verdict.position < 0) {
    text += "; peak unknown without live ranges";
  } else if (!verdict.instruction.empty() && verdict.temporary_bytes > 0) {
    text += "; " + PeakText(verdict);
  }
  if (verdict.best_change) {
    text += "; best change saves " + HumanBytes(verdict.best_change->bytes_saved) + ": " +
            verdict.best_change->brief;
  } else if (result.inputs.module == nullptr) {
    text += "; no change tried without the module";
  }
  if (!verdict.capacity && !verdict.devices.empty()) {
    text += "; " + FittingDevices(verdict, DevicesText(result.backend));
  }
  return text;
}

}  // namespace

MemoryVerdict MakeVerdict(const MemoryResult& result, const std::string& device) {
  const MemoryExplanation& all = result.explanation;
  MemoryVerdict verdict;
  verdict.total_bytes = all.device_bytes;
  verdict.temporary_bytes = all.by_kind[static_cast<size_t>(MemoryKind::kTemp)];
  if (all.device_bytes > 0) {
    const double share =
        static_cast<double>(verdict.temporary_bytes) / static_cast<double>(all.device_bytes);
    verdict.temporary_percent = static_cast<int64_t>(share * 100 + 0.5);
  }
  if (all.has_times) {
    verdict.position = all.peak_time;
    verdict.last_position = all.last_time;
    verdict.peak_bytes = all.peak_bytes;
    verdict.instruction = all.peak_instruction;
    verdict.scope = InnermostScope(all.peak_op_name);
    verdict.phase = PhaseOf(all.peak_op_name);
    verdict.source = all.peak_source;
  }
  if (!result.advice.empty()) verdict.best_change = result.advice.front();
  if (const MemoryDevice* known = FindMemoryDevice(device)) verdict.device = known->name;
  verdict.capacity = result.capacity;
  for (const MemoryDevice* each : DevicesOf(result.backend)) {
    verdict.devices.push_back({std::string(each->name), std::string(each->title), each->capacity,
                               verdict.total_bytes <= each->capacity});
  }
  verdict.text = Sentence(result, verdict);
  return verdict;
}

}  // namespace halo
