// `info`, `check` and `memory`: exactly the results of the commands, from files that are already
// open; `devices`: those whose memory the commands know.
#include "halo/api/info/file_info.h"
#include "halo/api/memory/memory.h"
#include "halo/memory/backend/device.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

MemoryRequest MemoryRequestOf(const JsonValue& parameters) {
  MemoryRequest request;
  request.plan = parameters["plan"].AsBool(false);
  request.drop_alias = parameters["drop_alias"].AsBool(false);
  request.change.donate = parameters["donate"].AsInts();
  request.change.recompute = SplitNames(parameters["recompute"].AsString());
  request.change.earlier = SplitNames(parameters["earlier"].AsString());
  request.change.later = SplitNames(parameters["later"].AsString());
  request.change.bf16 = SplitNames(parameters["bf16"].AsString());
  request.change.unpad = SplitNames(parameters["unpad"].AsString());
  request.device = parameters["device"].AsString();
  if (!parameters["backend"].is_null()) {
    request.backend = BackendFromName(std::string(parameters["backend"].AsString()));
  }
  if (!parameters["alignment"].is_null()) request.alignment = parameters["alignment"].AsInt(1);
  if (!parameters["capacity"].is_null()) request.capacity = parameters["capacity"].AsInt(0);
  if (!parameters["at"].is_null()) request.explain.at = parameters["at"].AsInt(0);
  request.explain.around = parameters["around"].AsString();
  request.explain.by = GroupByFromText(parameters["by"].AsString());
  request.check = parameters["check"].AsBool(false);
  request.repack = parameters["repack"].AsBool(false);
  request.repack_seconds = parameters["seconds"].AsDouble(10);
  const std::string_view advice = parameters["advice"].AsString("quick");
  if (advice == "thorough") request.advice = AdviceDepth::kThorough;
  if (advice == "none" || request.repack) request.advice = AdviceDepth::kNone;
  return request;
}

}  // namespace

CheckedFile CheckOf(const Document& document, const CheckOptions& options) {
  if (!document.modules.empty() || document.memory) return CheckDocument(document, options);
  Document empty = DescriptionOf(document);
  RequireContents(empty);
  return CheckDocument(empty, options);
}

void AskInfo(ViewRequest& request) {
  const FileInfo info = DescribeFile(
      request.document, {.largest = static_cast<size_t>(request.Int("largest", 10, 0, 1000))});
  request.json().Key("answer").Raw(InfoJson({&info, 1}));
}

void AskCheck(ViewRequest& request) {
  CheckOptions options;
  options.warnings = request.parameters["warnings"].AsBool(true);
  options.rules = request.parameters["rules"].AsBool(true);
  const CheckedFile checked = CheckOf(request.document, options);
  request.json().Key("answer").Raw(CheckJson({&checked, 1}));
}

void AskMemory(ViewRequest& request) {
  const MemoryRequest asked = MemoryRequestOf(request.parameters);
  if (asked.alignment && (*asked.alignment <= 0 || (*asked.alignment & (*asked.alignment - 1)))) {
    request.response.Fail("an alignment must be a power of two");
    return;
  }
  if (!asked.device.empty() && FindMemoryDevice(asked.device) == nullptr) {
    request.response.Fail("no such device");
    return;
  }
  if (request.view.module_count() > 1 && request.parameters["module"].is_null()) {
    request.response.Fail("one program at a time: these files hold several modules");
    return;
  }
  const MemoryResult result = AnalyzeMemory(asked, request.view.Inputs());
  if (!result.succeeded) {
    request.response.Fail(WhyNoResult(result));
    return;
  }
  const auto top = static_cast<size_t>(request.Int("top", 10, 1, 100'000));
  request.json().Key("answer").Raw(MemoryJson(result, top));
}

void AskDevices(ViewRequest& request) {
  request.json().Key("devices").BeginArray();
  for (const MemoryDevice& device : MemoryDevices()) {
    request.json()
        .BeginObject()
        .Field("name", device.name)
        .Field("backend", BackendText(device.backend))
        .Field("bytes", device.capacity)
        .EndObject();
  }
  request.json().EndArray();
}

}  // namespace halo::view
