// One row for each list.
#include "halo/api/describe/choice_lists.h"

#include <array>

#include "halo/analysis/inputs/input_roles.h"
#include "halo/cost/device/time_device.h"
#include "halo/cost/predict/kernel_kind.h"
#include "halo/cost/predict/op_time.h"
#include "halo/dump/file_kind.h"
#include "halo/memory/advise/advise.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/explain/explain.h"
#include "halo/profile/profile_data.h"
#include "halo/text/generation.h"

namespace halo {
namespace {

using Texts = std::vector<std::string_view>;

// The texts of an enumeration's values, up to the last one.
template <class Enum>
Texts TextsUpTo(Enum last, std::string_view (*text)(Enum)) {
  Texts texts;
  for (size_t i = 0; i <= static_cast<size_t>(last); ++i) {
    texts.push_back(text(static_cast<Enum>(i)));
  }
  return texts;
}

Texts Backends() {
  Texts texts;
  for (const Backend each : {Backend::kCpu, Backend::kGpu, Backend::kTpu}) {
    texts.push_back(BackendName(each));
  }
  return texts;
}

Texts MemoryDeviceNames() {
  Texts names;
  for (const MemoryDevice& device : MemoryDevices()) names.push_back(device.name);
  return names;
}

Texts GenerationTexts() {
  Texts texts;
  for (auto each = Generation::kUnknown;;
       each = static_cast<Generation>(static_cast<int>(each) + 1)) {
    texts.push_back(GenerationText(each));
    if (each == Generation::kG6) return texts;
  }
}

struct NamedList {
  std::string_view name;
  Texts (*texts)();
};
constexpr NamedList kLists[] = {
    {"advice_depth", [] { return Texts{"none", "quick", "thorough"}; }},
    {"advice_kind", AdviceKindTexts},
    {"backend", Backends},
    {"compression", [] { return Texts{"none", "gzip", "zstd"}; }},
    {"engine", [] { return Texts{"compiled", "reference"}; }},
    {"file_kind", FileKindTexts},
    {"fill_elided", [] { return Texts{"zeros", "ones", "iota"}; }},
    {"generation", GenerationTexts},
    {"group_by", GroupByTexts},
    {"input_role", [] { return TextsUpTo(InputRole::kToken, TextOf); }},
    {"kernel_kind", [] { return TextsUpTo(KernelKind::kOpaque, KernelKindText); }},
    {"memory_device", MemoryDeviceNames},
    {"memory_kind", MemoryKindTexts},
    {"profile_kind", [] { return TextsUpTo(ProfileKind::kOpTable, ProfileKindText); }},
    {"time_bound", [] { return TextsUpTo(TimeBound::kUnknown, TimeBoundText); }},
    {"time_confidence", [] { return TextsUpTo(TimeConfidence::kNone, TimeConfidenceText); }},
    {"time_device", TimeDeviceNames},
    {"time_source", [] { return TextsUpTo(TimeSource::kMeasured, TimeSourceText); }},
    {"value_role", ValueRoleTexts},
};

}  // namespace

std::vector<std::string_view> ChoicesNamed(std::string_view list) {
  for (const NamedList& each : kLists) {
    if (each.name == list) return each.texts();
  }
  return {};
}

std::vector<std::string_view> ChoiceListNames() {
  std::vector<std::string_view> names;
  for (const NamedList& each : kLists) names.push_back(each.name);
  return names;
}

}  // namespace halo
