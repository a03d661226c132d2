// `info`, `check` and `memory`: exactly the results of the commands, from files that are already
// open; `devices`: those whose memory the commands know.
#include <array>
#include <optional>

#include "halo/api/check/check_result.h"
#include "halo/api/info/info_document.h"
#include "halo/api/memory/memory_document.h"
#include "halo/api/memory/memory_request.h"
#include "halo/describe/read_json.h"
#include "halo/memory/backend/device.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

// Members that all requests of the viewer have.
constexpr std::array<std::string_view, 8> kViewMembers = {
    "ask", "id", "document", "module", "top", "against", "module_against", "stage"};

// The request's own members. If they cannot be read, fails the result and returns nothing.
template <describe::Described T>
std::optional<T> AskedOf(ViewRequest& request) {
  T asked;
  const std::string problem = describe::ReadRequest(request.parameters, kViewMembers, asked);
  if (problem.empty()) return asked;
  request.response.Fail(problem);
  return std::nullopt;
}

}  // namespace

CheckedFile CheckOf(const Document& document, const CheckOptions& options) {
  if (!document.modules.empty() || document.memory) return CheckDocument(document, options);
  Document empty = DescriptionOf(document);
  RequireContents(empty);
  return CheckDocument(empty, options);
}

void AskInfo(ViewRequest& request) {
  const std::optional<v0::InfoRequest> asked = AskedOf<v0::InfoRequest>(request);
  if (!asked) return;
  const Result<InfoOptions> options = RequestOf(*asked);
  if (!options.ok()) {
    request.response.Fail(options.error().message);
    return;
  }
  const FileInfo info = DescribeFile(request.document, *options);
  request.json().Key("answer").Raw(InfoJson({&info, 1}));
}

void AskCheck(ViewRequest& request) {
  const std::optional<v0::CheckRequest> asked = AskedOf<v0::CheckRequest>(request);
  if (!asked) return;
  const CheckedFile checked = CheckOf(request.document, OptionsOf(*asked));
  request.json().Key("answer").Raw(CheckJson({&checked, 1}));
}

void AskMemory(ViewRequest& request) {
  const std::optional<v0::MemoryRequest> asked = AskedOf<v0::MemoryRequest>(request);
  if (!asked) return;
  const Result<MemoryRequest> internal = RequestOf(*asked);
  if (!internal.ok()) {
    request.response.Fail(internal.error().message);
    return;
  }
  if (request.view.module_count() > 1 && request.parameters["module"].is_null()) {
    request.response.Fail("one program at a time: these files hold several modules");
    return;
  }
  const MemoryResult result = AnalyzeMemory(*internal, request.view.Inputs());
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
