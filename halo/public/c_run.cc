// The C interface: running a module with arrays by pointer, and two modules for comparison.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/api/describe/choice_lists.h"
#include "halo/base/json/json_reader.h"
#include "halo/describe/check_request.h"
#include "halo/describe/read_json.h"
#include "halo/public/c_document.h"
#include "halo/public/document_state.h"
#include "haloscope/c.h"
#include "haloscope/numbers.h"
#include "haloscope/run.h"

namespace {

// What is wrong with the request; empty if nothing is.
template <class Request>
std::string ReadRequest(const char* text, Request& request) {
  const std::optional<halo::JsonValue> json = halo::ParseJson(text);
  if (!json) return "the request is not a JSON object";
  std::string problem = halo::describe::ReadRequest(*json, {}, request);
  if (problem.empty()) problem = halo::describe::CheckRequest(request, halo::ChoicesNamed);
  return problem;
}

// No shape in a module has more dimensions.
constexpr size_t kMostDimensions = 256;

// False if a pointer is missing, or there are so many dimensions that `dims` cannot be trusted.
bool ReadInputs(const halo_array* inputs, size_t count, halo::v0::ExecutionRequest& request) {
  if (inputs == nullptr && count != 0) return false;
  for (size_t i = 0; i < count; ++i) {
    const halo_array& from = inputs[i];
    if (from.name == nullptr || from.type == nullptr || from.rank > kMostDimensions ||
        (from.dims == nullptr && from.rank != 0) || (from.data == nullptr && from.bytes != 0)) {
      return false;
    }
    halo::v0::Array& to = request.inputs.emplace_back();
    to.name = from.name;
    to.type = from.type;
    to.dims.assign(from.dims, from.dims + from.rank);
    // Refers to the caller's memory, which outlives the run.
    to.data = std::shared_ptr<const void>(std::shared_ptr<const void>(), from.data);
    to.bytes = from.bytes;
  }
  return true;
}

// Reads the request and the inputs, and starts counting.
template <class Request>
halo_status Prepare(const char* request, const halo_array* inputs, size_t input_count,
                    Request& read, halo_document& self) {
  if (std::string why = ReadRequest(request, read); !why.empty()) {
    return halo::FailWith(HALO_BAD_REQUEST, std::move(why), self);
  }
  if (!ReadInputs(inputs, input_count, read)) {
    return halo::FailWith(
        HALO_BAD_ARGUMENT,
        "an input lacks its name, type, dims or data, or has more than 256 dimensions", self);
  }
  self.progress.stop = false;
  self.progress.steps = 0;
  return HALO_OK;
}

halo_status FailRun(const std::vector<halo::v0::Diagnostic>& diagnostics, const char* otherwise,
                    halo_document& self) {
  for (const halo::v0::Diagnostic& each : diagnostics) {
    if (each.severity != halo::v0::Severity::kError) continue;
    return halo::FailWith(HALO_RUN_FAILED, each.message, self);
  }
  return halo::FailWith(HALO_RUN_FAILED, otherwise, self);
}

}  // namespace

halo_status halo_run(halo_document* document, const char* request, const halo_array* inputs,
                     size_t input_count, halo_result** result) {
  if (request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  return halo::CallOn(document, [&](halo_document& self) {
    halo::v0::RunRequest read;
    const halo_status status = Prepare(request, inputs, input_count, read, self);
    if (status != HALO_OK) return status;
    halo::v0::RunResult run = halo::v0::RunWatched(self.first, read, &self.progress);
    if (!run.finished) return FailRun(run.diagnostics, "the run has no results", self);
    auto made = std::make_unique<halo_result>();
    made->json = run.ToJson();
    made->arrays = std::move(run.arrays);
    *result = made.release();
    return HALO_OK;
  });
}

halo_status halo_numbers(halo_document* before, halo_document* after, const char* request,
                         const halo_array* inputs, size_t input_count, halo_result** result) {
  if (after == nullptr || request == nullptr || result == nullptr) return HALO_BAD_ARGUMENT;
  *result = nullptr;
  halo::v0::Document other;
  const halo_status copied = halo::CopyOf(after, other);
  if (copied != HALO_OK) return copied;
  return halo::CallOn(before, [&](halo_document& self) {
    halo::v0::ExecutionRequest read;
    const halo_status status = Prepare(request, inputs, input_count, read, self);
    if (status != HALO_OK) return status;
    const halo::v0::NumbersResult numbers =
        halo::v0::NumbersWatched(self.first, other, read, &self.progress);
    if (!numbers.ok) {
      return FailRun(numbers.diagnostics, "a program cannot be run", self);
    }
    auto made = std::make_unique<halo_result>();
    made->json = numbers.ToJson();
    *result = made.release();
    return HALO_OK;
  });
}

void halo_stop(halo_document* document) {
  if (document != nullptr) document->progress.stop = true;
}

int64_t halo_steps(const halo_document* document) {
  return document == nullptr ? 0 : document->progress.steps.load();
}
