// One row for each list.
#include "halo/api/describe/choice_lists.h"

#include <span>

#include "halo/analysis/inputs/input_roles.h"
#include "halo/api/describe/result_parts.h"
#include "halo/api/document/convert_document.h"
#include "halo/api/document/format.h"
#include "halo/cost/device/time_device.h"
#include "halo/cost/predict/kernel_kind.h"
#include "halo/cost/predict/op_time.h"
#include "halo/diff/explain/program_diff.h"
#include "halo/diff/peak/peak_change.h"
#include "halo/dump/dump_name.h"
#include "halo/dump/file_kind.h"
#include "halo/memory/advise/advise.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/explain/explain.h"
#include "halo/profile/profile_data.h"
#include "halo/text/generation.h"
#include "haloscope/numbers.h"
#include "haloscope/ranks.h"
#include "haloscope/recompiles.h"

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

// The same for one whose texts are listed beside it.
template <class Enum>
Texts AllTexts() {
  const auto texts = EnumTexts(Enum());
  return {texts.begin(), texts.end()};
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

Texts FileClasses() {
  return {
#define HALO_FILE_ROLE(name, text, what, flag) text,
#include "halo/dump/file_roles.def"
  };
}

Texts ConvertTargets() {
  const std::span<const std::string_view> all = ConvertTargetTexts();
  return {all.begin(), all.end()};
}

Texts Styles() {
  const std::span<const std::string_view> all = StyleChoiceTexts();
  return {all.begin(), all.end()};
}

struct NamedList {
  std::string_view name;
  Texts (*texts)();
};
constexpr NamedList kLists[] = {
    {"advice_depth", [] { return Texts{"none", "quick", "thorough"}; }},
    {"advice_kind", AdviceKindTexts},
    {"backend", Backends},
    {"cause_kind", [] { return TextsUpTo<CauseKind>(CauseKind::kModule, TextOf); }},
    {"compression", [] { return TextsUpTo(Compression::kZstd, CompressionText); }},
    {"convert_target", ConvertTargets},
    {"engine", [] { return Texts{"compiled", "reference"}; }},
    {"file_class", FileClasses},
    {"file_kind", FileKindTexts},
    {"fill_elided", [] { return Texts{"zeros", "ones", "iota"}; }},
    {"generation", [] { return TextsUpTo(Generation::kG6, GenerationText); }},
    {"group_by", GroupByTexts},
    {"input_role", [] { return TextsUpTo(InputRole::kToken, TextOf); }},
    {"kernel_kind", [] { return TextsUpTo(KernelKind::kOpaque, KernelKindText); }},
    {"memory_device", MemoryDeviceNames},
    {"memory_kind", MemoryKindTexts},
    {"operand_agreement", [] { return AllTexts<v0::OperandAgreement>(); }},
    {"pack_fits", [] { return Texts{"yes", "never", "not-found"}; }},
    {"peak_cause_kind", [] { return TextsUpTo<PeakCauseKind>(PeakCauseKind::kPacking, TextOf); }},
    {"profile_kind", [] { return TextsUpTo(ProfileKind::kOpTable, ProfileKindText); }},
    {"rank_level", [] { return AllTexts<v0::RankLevel>(); }},
    {"recompile_cause", [] { return AllTexts<v0::RecompileCause>(); }},
    {"stage_role", [] { return TextsUpTo(StageRole::kOnly, TextOf); }},
    {"style", Styles},
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

}  // namespace halo
