// The C interface: running a module with arrays by pointer, and two modules for comparison.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/public/c_document.h"
#include "halo/public/document_state.h"
#include "haloscope/c.h"
#include "haloscope/numbers.h"
#include "haloscope/run.h"

namespace {

using halo::v0::ElidedConstants;
using halo::v0::Engine;

// False, with the reason, if the request is malformed or contains an unknown key or value.
bool ReadRequest(const char* text, halo::v0::RunRequest& request, std::string& why) {
  const std::optional<halo::JsonValue> json = halo::ParseJson(text);
  if (!json || !json->is_object()) {
    why = "the request is not a JSON object";
    return false;
  }
  for (const std::string& key : json->keys) {
    const halo::JsonValue& value = (*json)[key];
    if (key == "module") {
      request.module = static_cast<size_t>(std::max<int64_t>(0, value.AsInt(0)));
    } else if (key == "random") {
      request.random = static_cast<uint64_t>(value.AsInt(0));
    } else if (key == "devices") {
      request.devices = value.AsInt(0);
    } else if (key == "max_steps") {
      request.max_steps = value.AsInt(request.max_steps);
    } else if (key == "max_bytes") {
      request.max_bytes = value.AsInt(request.max_bytes);
    } else if (key == "find_nan") {
      request.find_nan = value.AsBool(false);
    } else if (key == "input_files") {
      for (const halo::JsonValue& each : value.items)
        request.input_files.emplace_back(each.AsString());
    } else if (key == "engine" && value.AsString() == "compiled") {
      request.engine = Engine::kCompiled;
    } else if (key == "engine" && value.AsString() == "reference") {
      request.engine = Engine::kReference;
    } else if (key == "elided_constants" && value.AsString() == "refuse") {
      request.elided_constants = ElidedConstants::kRefuse;
    } else if (key == "elided_constants" && value.AsString() == "zeros") {
      request.elided_constants = ElidedConstants::kZeros;
    } else if (key == "elided_constants" && value.AsString() == "ones") {
      request.elided_constants = ElidedConstants::kOnes;
    } else if (key == "elided_constants" && value.AsString() == "iota") {
      request.elided_constants = ElidedConstants::kIota;
    } else {
      why = "the request holds an unknown key or value: " + key;
      return false;
    }
  }
  return true;
}

// No shape in a module has more dimensions.
constexpr size_t kMostDimensions = 256;

// False if a pointer is missing, or there are so many dimensions that `dims` cannot be trusted.
bool ReadInputs(const halo_array* inputs, size_t count, halo::v0::RunRequest& request) {
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
halo_status Prepare(const char* request, const halo_array* inputs, size_t input_count,
                    halo::v0::RunRequest& read, halo_document& self) {
  std::string why;
  if (!ReadRequest(request, read, why)) {
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
    if (!run.has_results) return FailRun(run.diagnostics, "the run has no results", self);
    auto made = std::make_unique<halo_result>();
    made->json = run.ToJson();
    made->arrays = std::move(run.outputs);
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
    halo::v0::RunRequest read;
    const halo_status status = Prepare(request, inputs, input_count, read, self);
    if (status != HALO_OK) return status;
    const halo::v0::NumbersResult numbers =
        halo::v0::NumbersWatched(self.first, other, read, &self.progress);
    if (!numbers.succeeded) {
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
