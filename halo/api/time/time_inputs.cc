// Texts are recognized by their names, which XLA never changed.
#include "halo/api/time/time_inputs.h"

#include <algorithm>
#include <array>

#include "halo/dump/dump_name.h"
#include "halo/dump/open_file.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

constexpr std::string_view kAutotuneName = "autotune_results.pbtxt";
constexpr std::string_view kTargetName = "gpu_target_config.pbtxt";

void Refuse(std::string message, TimeInputs& inputs) {
  inputs.diagnostics.Add(MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message)));
}

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The texts that a path may be; null if it is something else.
std::optional<TimeText>* TextFor(std::string_view path, TimeInputs& inputs) {
  const std::string_view name = WithoutCompression(FileName(path));
  if (name.ends_with(kAutotuneName)) return &inputs.autotune;
  if (name.ends_with(kTargetName)) return &inputs.target_config;
  return nullptr;
}

void ReadText(const std::string& path, TimeInputs& inputs) {
  const Result<SourceBuffer> source = OpenDumpFile(path);
  if (source) {
    TakeTimeText(path, source->bytes(), inputs);
  } else {
    inputs.diagnostics.Add(source.error());
  }
}

}  // namespace

bool TakeTimeText(const std::string& path, std::string_view bytes, TimeInputs& inputs) {
  std::optional<TimeText>* text = TextFor(path, inputs);
  if (text == nullptr) return false;
  *text = TimeText{path, std::string(bytes)};
  return true;
}

std::vector<std::string> TimeTextNames(std::string_view path) {
  const std::string_view name = FileName(path);
  const DumpName parsed = ParseDumpName(name);
  const size_t stage =
      parsed.stage.text.empty() ? std::string_view::npos : name.find(parsed.stage.text);
  if (stage == std::string_view::npos) return {};
  const std::string stem(path.substr(0, path.size() - name.size() + stage));
  return {stem + std::string(kAutotuneName), stem + std::string(kTargetName)};
}

void FindTimeTexts(TimeInputs& inputs) {
  for (const std::string& beside : TimeTextNames(inputs.module_path)) {
    if (TextFor(beside, inputs)->has_value() || !DumpFileExists(beside)) continue;
    ReadText(beside, inputs);
  }
}

bool TimeInputs::ok() const {
  return diagnostics.ok() && std::all_of(documents.begin(), documents.end(),
                                         [](const auto& each) { return each.errors() == 0; });
}

TimeInputs OpenTimeInputs(const std::vector<std::string>& paths, const OpenOptions& options) {
  TimeInputs inputs;
  for (const std::string& path : paths) {
    if (TextFor(path, inputs) != nullptr) {
      ReadText(path, inputs);
      continue;
    }
    Document& document = inputs.documents.emplace_back(OpenDocument(path, options));
    RequireModules(document);
  }
  size_t modules = 0;
  for (const Document& document : inputs.documents) {
    modules += document.modules.size();
    if (document.modules.empty() || inputs.module != nullptr) continue;
    inputs.module = &document.modules.front().module;
    inputs.module_path = document.path;
  }
  if (modules > 1) {
    Refuse("one program at a time: these files hold " + std::to_string(modules) + " modules",
           inputs);
  } else if (inputs.documents.empty()) {
    Refuse("a module is needed beside the results of autotuning", inputs);
  }
  if (inputs.ok()) FindTimeTexts(inputs);
  return inputs;
}

}  // namespace halo
