// Each kind of clue has a table. The more specific clue wins.
#include "halo/cost/device/infer_device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "halo/cost/count/library_calls.h"

namespace halo {
namespace {

struct NamedDevice {
  std::string_view text;  // part of the vendor's name
  std::string_view name;
};
// The first that fits decides.
constexpr std::array kVendorNames = {NamedDevice{"GB300", "gb300"},
                                     NamedDevice{"GB200", "gb200"},
                                     NamedDevice{"B300", "b300"},
                                     NamedDevice{"B200", "b200"},
                                     NamedDevice{"H200", "h200"},
                                     NamedDevice{"H100", "h100"},
                                     NamedDevice{"A100-SXM4-40GB", "a100-40"},
                                     NamedDevice{"A100-PCIE-40GB", "a100-40"},
                                     NamedDevice{"A100", "a100"},
                                     NamedDevice{"RTX PRO 6000", "rtx6000pro"},
                                     NamedDevice{"A6000", "a6000"},
                                     NamedDevice{"NVIDIA L4", "l4"},
                                     NamedDevice{"V100", "v100"},
                                     NamedDevice{"MI355X", "mi355x"},
                                     NamedDevice{"MI350X", "mi350x"},
                                     NamedDevice{"MI300X", "mi300x"}};

// Architectures as file names and the autotuner write them.
constexpr std::array kArchitectures = {
    NamedDevice{"sm_10.3", "b300"},       NamedDevice{"sm_10.0", "b200"},
    NamedDevice{"sm_12.0", "rtx6000pro"}, NamedDevice{"sm_9.0", "h100"},
    NamedDevice{"sm_8.9", "l4"},          NamedDevice{"sm_8.6", "a6000"},
    NamedDevice{"sm_8.0", "a100"},        NamedDevice{"sm_7.0", "v100"},
    NamedDevice{"gfx950", "mi355x"},      NamedDevice{"gfx942", "mi300x"}};

struct WorkspaceClue {
  int64_t bytes;
  std::string_view name, architecture;
};
// The workspace that XLA gives products depends on the device alone.
constexpr int64_t kWorkspaceMiB = 1048576;
constexpr std::array kWorkspaces = {WorkspaceClue{64 * kWorkspaceMiB, "mi355x", "gfx950"},
                                    WorkspaceClue{76 * kWorkspaceMiB, "mi300x", "gfx942"},
                                    WorkspaceClue{32 * kWorkspaceMiB, "h100", "Hopper or newer"}};

template <size_t N>
const NamedDevice* FindIn(const std::array<NamedDevice, N>& table, std::string_view text) {
  for (const NamedDevice& each : table) {
    if (text.find(each.text) != std::string_view::npos) return &each;
  }
  return nullptr;
}

std::string_view QuotedAfter(std::string_view text, std::string_view key) {
  size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  at = text.find('"', at + key.size());
  const size_t end = at == std::string_view::npos ? at : text.find('"', at + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(at + 1, end - at - 1);
}

// An A100 has 40 or 80 GB; nothing but the size of its memory tells them apart.
std::string_view BySize(std::string_view name, int64_t memory) {
  if (name == "a100" && memory > 0 && memory < 60'000'000'000) return "a100-40";
  if (name == "h100" && memory > 100'000'000'000) return "h200";
  return name;
}

int64_t NumberBefore(std::string_view text, std::string_view end) {
  const size_t to = text.find(end);
  if (to == std::string_view::npos) return 0;
  const size_t from = text.find_last_not_of("0123456789", to - 1);
  int64_t value = 0;
  const size_t begin = from == std::string_view::npos ? 0 : from + 1;
  std::from_chars(text.data() + begin, text.data() + to, value);
  return value;
}

// Bytes of the largest workspace of a library product; 0 if there is none.
int64_t LargestWorkspace(const Module& module) {
  int64_t largest = 0;
  for (const Inst& inst : module.insts) {
    if (LibraryCallOf(module, inst) != LibraryCall::kGemm) continue;
    const std::span<const ShapeId> parts = module.shapes.elements(inst.shape);
    if (parts.size() < 2 || module.shapes.type(parts.back()) != ElementType::kS8) continue;
    largest = std::max(largest, module.shapes.ByteSize(parts.back()).value_or(0));
  }
  return largest;
}

DeviceGuess InferGpu(const Module& module, const DeviceClues& clues) {
  const std::string_view described = QuotedAfter(clues.target_config, "device_description_str:");
  if (const NamedDevice* found = FindIn(kVendorNames, described)) {
    return {std::string(found->name), "the dump's target is " + std::string(described), true};
  }
  const int64_t memory = NumberBefore(clues.autotuned_on, "B RAM");
  if (const NamedDevice* found = FindIn(kArchitectures, clues.autotuned_on)) {
    return {std::string(BySize(found->name, memory)),
            "its products were autotuned on " + std::string(found->text), true};
  }
  if (const NamedDevice* found = FindIn(kArchitectures, clues.file_name)) {
    return {std::string(found->name), "the file's name says " + std::string(found->text), true};
  }
  const int64_t workspace = LargestWorkspace(module);
  for (const WorkspaceClue& each : kWorkspaces) {
    if (workspace != each.bytes) continue;
    return {std::string(each.name),
            "its products have a workspace of " + std::to_string(each.bytes / kWorkspaceMiB) +
                " MiB, which XLA uses for " + std::string(each.architecture),
            true};
  }
  if (workspace > 0) {
    return {"a100",
            "its products have a workspace of " + std::to_string(workspace / kWorkspaceMiB) +
                " MiB, which XLA uses before Hopper; assumed to be an A100",
            false};
  }
  return {"h100", "the dump does not say which GPU; assumed to be an H100", false};
}

}  // namespace

DeviceGuess InferDevice(const Module& module, const DeviceClues& clues) {
  if (clues.backend == Backend::kCpu) {
    return {"cpu", "compiled for a CPU; assumed to be a server with 64 cores", false};
  }
  if (clues.backend == Backend::kTpu) {
    return {"v5p", "the dump does not say which TPU; assumed to be a v5p", false};
  }
  if (!clues.backend) {
    return {"h100", "the module is not compiled yet; assumed to run on an H100", false};
  }
  return InferGpu(module, clues);
}

}  // namespace halo
