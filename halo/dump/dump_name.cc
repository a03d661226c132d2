// Parses names from the end: the endings form a fixed list, while the beginning may be anything.
#include "halo/dump/dump_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "halo/base/strings/characters.h"

namespace halo {
namespace {

struct Ending {
  std::string_view text;
  FileRole file_role;
};
constexpr std::array kStageEndings = {
#define HALO_STAGE_ENDING(text, name) Ending{text, FileRole::k##name},
#define HALO_MODULE_ENDING(text, name, inner)
#define HALO_FREE_ENDING(text, name)
#include "halo/dump/name_endings.def"
};
constexpr std::array kFreeEndings = {
#define HALO_STAGE_ENDING(text, name)
#define HALO_MODULE_ENDING(text, name, inner)
#define HALO_FREE_ENDING(text, name) Ending{text, FileRole::k##name},
#include "halo/dump/name_endings.def"
};
struct ModuleEnding {
  std::string_view text;
  FileRole file_role;
  bool inner;
};
constexpr std::array kModuleEndings = {
#define HALO_STAGE_ENDING(text, name)
#define HALO_MODULE_ENDING(text, name, inner) ModuleEnding{text, FileRole::k##name, inner},
#define HALO_FREE_ENDING(text, name)
#include "halo/dump/name_endings.def"
};

// Named points, in the order in which compilation reaches them. A backend may precede them.
struct NamedPoint {
  std::string_view text;
  StageRole role;
};
constexpr std::string_view kAfterOptimizations = "after_optimizations";
constexpr std::array kPoints = {
    NamedPoint{"before_optimizations", StageRole::kBefore},
    NamedPoint{"after_spmd_partitioner", StageRole::kNamed},
    NamedPoint{"before_config_assignment", StageRole::kNamed},
    NamedPoint{"after_optimizations_before_buffer_assignment", StageRole::kAfter},
    NamedPoint{kAfterOptimizations, StageRole::kAfter},
    NamedPoint{"after_optimizations_after_buffer_assignment", StageRole::kAfter},
    NamedPoint{"after_codegen", StageRole::kAfter},
};

constexpr std::string_view kModule = "module_";

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

std::optional<int64_t> IntegerOf(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (!AllDigits(digits) || error != std::errc()) return std::nullopt;
  return value;
}

// The part of `text` before `ending`, if `text` ends with it as a separate component.
std::optional<std::string_view> Before(std::string_view text, std::string_view ending) {
  if (text == ending) return std::string_view();
  if (text.size() <= ending.size() || !text.ends_with(ending)) return std::nullopt;
  text.remove_suffix(ending.size());
  if (!text.ends_with('.')) return std::nullopt;
  return text.substr(0, text.size() - 1);
}

// Where the stage begins in NAME.sm_9.0a_gpu_after_optimizations; npos for any other ending.
size_t BackendStageBegin(std::string_view text) {
  size_t begin = text.rfind('.');
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  const std::string_view last = text.substr(begin);
  if (last == "cpu_after_optimizations" || last == "gpu_after_optimizations") return begin;
  if (!last.ends_with("_gpu_after_optimizations")) return std::string_view::npos;
  if (begin < 2) return begin;
  // The architecture may contain a dot: sm_9 before 0a_gpu_...
  const size_t dot = text.rfind('.', begin - 2);
  const size_t previous = dot == std::string_view::npos ? 0 : dot + 1;
  const std::string_view part = text.substr(previous, begin - 1 - previous);
  if (IsDigit(last.front()) && part.starts_with("sm_") && AllDigits(part.substr(3))) {
    return previous;
  }
  return begin;
}

// Where the stage begins in NAME.0042.pipeline.after_x.before_y; npos if there is none.
size_t PassStageBegin(std::string_view text) {
  size_t found = std::string_view::npos;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('.', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const bool goes_on = end + 1 < text.size() && !IsDigit(text[end + 1]);
    if (part.size() >= 4 && AllDigits(part) && goes_on) found = begin;
    begin = end + 1;
  }
  return found;
}

// Splits NAME.STAGE; nullopt if the text does not end with a known stage.
struct Split {
  std::string_view module, stage;
};
std::optional<Split> SplitStage(std::string_view text) {
  for (const NamedPoint& point : kPoints) {
    if (const auto module = Before(text, point.text)) return Split{*module, point.text};
  }
  size_t begin = BackendStageBegin(text);
  if (begin == std::string_view::npos) begin = PassStageBegin(text);
  if (begin == std::string_view::npos) return std::nullopt;
  return Split{begin == 0 ? std::string_view() : text.substr(0, begin - 1), text.substr(begin)};
}

// TPU compilers append the change number of their source to the name.
std::string_view WithoutChangeNumber(std::string_view name) {
  const size_t dot = name.rfind('.');
  const std::string_view last = name.substr(dot == std::string_view::npos ? 0 : dot + 1);
  if (!last.starts_with("cl_") || !AllDigits(last.substr(3))) return name;
  return name.substr(0, dot == std::string_view::npos ? 0 : dot);
}

// Where module_NNNN occurs as a separate component; npos if it does not.
size_t FindModule(std::string_view name) {
  for (size_t at = name.find(kModule); at != std::string_view::npos;
       at = name.find(kModule, at + 1)) {
    const size_t digits = at + kModule.size();
    if ((at == 0 || name[at - 1] == '.') && digits < name.size() && IsDigit(name[digits])) {
      return at;
    }
  }
  return std::string_view::npos;
}

// Components in the middle of a name that determine its role. The module's name precedes them.
struct Marker {
  std::string_view text;
  FileRole file_role;
};
constexpr std::array kMarkers = {
    Marker{".autotuner_", FileRole::kAutotuning},
    Marker{".cudnn_fusion_", FileRole::kAutotuning},
    Marker{".snapshot.", FileRole::kSnapshot},
};

// Parses NAME.SUFFIX of a module's file.
void ParseRest(std::string_view rest, DumpName& result) {
  const auto take = [&](std::string_view module, bool is_exact, FileRole file_role) {
    result.module = WithoutChangeNumber(module);
    result.has_change_number = result.module.size() != module.size();
    result.is_exact = is_exact;
    result.file_role = file_role;
  };
  for (const ModuleEnding& ending : kModuleEndings) {
    const auto module = Before(rest, ending.text);
    if (!module) continue;
    // The schedule or graph of a stage gives the module's exact name. Digits alone are not a stage.
    auto split = ending.inner ? SplitStage(*module) : std::nullopt;
    if (split && split->stage.find("after_") == std::string_view::npos) split.reset();
    if (split) result.stage = StageFromText(split->stage);
    return take(split ? split->module : *module, split || !ending.inner, ending.file_role);
  }
  for (const Marker& marker : kMarkers) {
    const size_t at = rest.find(marker.text);
    if (at != std::string_view::npos) return take(rest.substr(0, at), true, marker.file_role);
  }
  for (const Ending& ending : kStageEndings) {
    if (!rest.ends_with(ending.text)) continue;
    const std::string_view stem = rest.substr(0, rest.size() - ending.text.size());
    if (const auto split = SplitStage(stem)) {
      result.stage = StageFromText(split->stage);
      return take(split->module, true, ending.file_role);
    }
  }
  take(rest, false, FileRole::kUnknown);
}

// Parses a name without module_NNNN: a file that was renamed or never belonged to a dump.
void ParseFree(std::string_view name, DumpName& result) {
  for (const Ending& ending : kStageEndings) {
    if (!name.ends_with(ending.text)) continue;
    const std::string_view stem = name.substr(0, name.size() - ending.text.size());
    const auto split = SplitStage(stem);
    const bool is_text = ending.file_role == FileRole::kModuleText;
    if (split) {
      result.stage = StageFromText(split->stage);
    } else if (is_text || ending.file_role == FileRole::kGraph) {
      continue;  // too common an ending
    } else {
      result.stage.role = StageRole::kOnly;
    }
    result.module = split ? split->module : stem;
    result.file_role = ending.file_role;
    return;
  }
  for (const Ending& ending : kFreeEndings) {
    if (name.ends_with(ending.text)) result.file_role = ending.file_role;
  }
  if (name.ends_with(".tar") || name.ends_with(".tgz")) result.file_role = FileRole::kArchive;
}

}  // namespace

std::string_view TextOf(StageRole role) {
  constexpr std::array<std::string_view, 5> kTexts = {"before", "named", "pass", "after", "only"};
  return kTexts[static_cast<size_t>(role)];
}

bool DumpName::has_timestamp() const { return AllDigits(before); }

std::string_view WithoutCompression(std::string_view name, Compression* found) {
  Compression compression = Compression::kNone;
  if (name.ends_with(".gz")) compression = Compression::kGzip;
  if (name.ends_with(".zst")) compression = Compression::kZstd;
  if (found != nullptr) *found = compression;
  if (compression == Compression::kNone) return name;
  return name.substr(0, name.rfind('.'));
}

std::string_view WithoutStageEnding(std::string_view name) {
  for (const Ending& ending : kStageEndings) {
    if (name.ends_with(ending.text)) return name.substr(0, name.size() - ending.text.size());
  }
  return name;
}

StageName StageFromText(std::string_view text) {
  StageName stage;
  stage.text = text;
  stage.order = static_cast<int>(kPoints.size());
  const std::string_view point = BackendStageBegin(text) == 0 ? kAfterOptimizations : text;
  for (size_t i = 0; i < kPoints.size(); ++i) {
    if (point != kPoints[i].text) continue;
    stage.role = kPoints[i].role;
    stage.order = static_cast<int>(i);
    return stage;
  }
  if (PassStageBegin(text) != 0) {
    stage.is_known = false;
    return stage;
  }
  const size_t dot = text.find('.');
  stage.role = StageRole::kPass;
  stage.step = IntegerOf(text.substr(0, dot)).value_or(INT64_MAX);
  const std::string_view rest = text.substr(dot + 1);
  const size_t end = std::min(rest.find('.'), rest.size());
  stage.pipeline = rest.substr(0, end);
  std::string_view points = rest.substr(std::min(end + 1, rest.size()));
  constexpr std::string_view kAfter = "after_";
  const size_t before = points.find(".before_");
  if (points.starts_with(kAfter) && before != std::string_view::npos) {
    points = points.substr(kAfter.size(), before - kAfter.size());
    if (points != "pipeline-start") stage.pass = points;
  } else {
    // The steps within one pass: copy-insertion.after_adding_special-case_copies.
    stage.pass = stage.pipeline;
  }
  return stage;
}

std::string_view BackendOfStage(std::string_view stage) {
  if (stage == "cpu_after_optimizations") return "cpu";
  if (stage.ends_with("gpu_after_optimizations")) return "gpu";
  for (const std::string_view tpu :
       {"after_codegen", "after_optimizations_before_buffer_assignment",
        "after_optimizations_after_buffer_assignment"}) {
    if (stage == tpu) return "tpu";
  }
  return {};
}

std::string_view ArchitectureOfStage(std::string_view stage) {
  constexpr std::string_view kEnd = "_gpu_after_optimizations";
  if (!stage.ends_with(kEnd)) return {};
  return stage.substr(0, stage.size() - kEnd.size());
}

DumpName ParseDumpName(std::string_view name) {
  DumpName result;
  name = WithoutCompression(name, &result.compression);
  const size_t at = FindModule(name);
  if (at == std::string_view::npos) {
    ParseFree(name, result);
    return result;
  }
  size_t end = at + kModule.size();
  while (end < name.size() && IsDigit(name[end])) ++end;
  const std::optional<int64_t> number =
      IntegerOf(name.substr(at + kModule.size(), end - at - kModule.size()));
  if (!number || (end < name.size() && name[end] != '.')) return result;
  result.has_module = true;
  result.number = *number;
  result.before = name.substr(0, at == 0 ? 0 : at - 1);
  ParseRest(name.substr(std::min(end + 1, name.size())), result);
  if (result.before.starts_with("buffer_debug_log")) result.file_role = FileRole::kRunLog;
  return result;
}

}  // namespace halo
