// `halo time` through the public interface, for documents that are already open.
#include "haloscope/time.h"

#include "halo/api/time/time.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/public/document_state.h"

namespace halo::v0 {
namespace {

void RefuseTime(std::string message, std::string_view file, TimeResult& result) {
  result.diagnostics.push_back(
      PublicDiagnostic(MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message)), file));
}

TimeCost PublicCost(const Cost& from) {
  TimeCost to;
  to.flops = from.work.flops;
  to.product_flops = from.work.product_flops;
  to.transcendentals = from.work.transcendentals;
  to.bytes_read = from.traffic.read;
  to.bytes_written = from.traffic.written;
  to.near_bytes = from.traffic.near;
  to.host_bytes = from.traffic.host;
  to.sent_bytes = from.sent;
  to.known = from.known;
  return to;
}

TimeOp PublicOp(const TimedOp& from) {
  TimeOp to;
  to.name = from.name;
  to.opcode = from.opcode;
  to.computation = from.computation;
  to.op_name = from.op_name;
  to.scope = from.scope;
  to.source = from.source;
  to.shape = from.shape;
  to.kind = KernelKindText(from.kind);
  to.runs = from.runs;
  to.seconds = from.time.seconds;
  to.low_seconds = from.time.low;
  to.high_seconds = from.time.high;
  to.floor_seconds = from.time.floor;
  to.exposed_seconds = from.exposed;
  to.from = TimeSourceText(from.time.source);
  to.confidence = TimeConfidenceText(from.time.confidence);
  to.bound = TimeBoundText(from.time.bound);
  to.cost = PublicCost(from.cost);
  return to;
}

void FillTimeResult(const halo::TimeResult& internal, TimeResult& result) {
  result.program = internal.program;
  result.backend = BackendText(internal.backend);
  result.device = internal.device.name;
  result.device_title = internal.device.title;
  result.device_why = internal.device_why;
  result.device_is_certain = internal.device_is_certain;
  result.is_scheduled = internal.is_scheduled;
  result.trip_counts_known = internal.trips_known;
  result.floor_seconds = internal.step.floor;
  result.estimate_seconds = internal.step.estimate;
  result.serial_seconds = internal.step.serial;
  result.exposed_seconds = internal.step.exposed;
  result.hidden_seconds = internal.step.hidden;
  result.unknown_seconds = internal.step.unknown;
  result.cost = PublicCost(internal.cost);
  result.cost_once = PublicCost(internal.cost_once);
  result.ops.reserve(internal.ops.size());
  for (const TimedOp& each : internal.ops) result.ops.push_back(PublicOp(each));
  result.verdict = internal.verdict;
}

// False, with the reason in the result, if the request is not valid.
bool AcceptTime(const TimeRequest& request, std::string_view file, halo::TimeRequest& internal,
                TimeResult& result) {
  internal.device = request.device;
  if (!request.backend.empty()) {
    internal.backend = BackendFromName(request.backend);
    if (!internal.backend) RefuseTime("no backend is called " + request.backend, file, result);
  }
  if (!request.device_json.empty()) {
    halo::Result<TimeDevice> device = ReadDeviceFile(request.device_json);
    if (device) {
      internal.own_device = *std::move(device);
    } else {
      result.diagnostics.push_back(PublicDiagnostic(device.error(), file));
    }
  }
  if (!request.calibration.empty()) {
    halo::Result<Calibration> calibration = ReadCalibration(request.calibration);
    if (calibration) {
      internal.calibration = *std::move(calibration);
    } else {
      result.diagnostics.push_back(PublicDiagnostic(calibration.error(), file));
    }
  }
  internal.advise = request.advise;
  internal.profiles = request.profiles;
  internal.profile_step = request.profile_step;
  internal.links = request.links;
  internal.network = request.network;
  internal.nodes = request.nodes;
  internal.copies = request.copies;
  return result.diagnostics.empty();
}

}  // namespace

struct TimeState {
  std::shared_ptr<const halo::Document> file;  // the result refers to its module
  halo::TimeResult internal;
};

std::string TimeResult::ToJson(size_t top) const {
  return state == nullptr || !succeeded ? std::string() : TimeJson(state->internal, top);
}

TimeResult Time(const Document& document, const TimeRequest& request) {
  TimeResult result;
  const auto state = std::make_shared<TimeState>();
  state->file = OpenedFile(document);
  halo::TimeRequest internal_request;
  if (!AcceptTime(request, document.path(), internal_request, result)) return result;
  if (state->file->modules.empty()) {
    halo::Document description = DescriptionOf(*state->file);
    RequireModules(description);
    AppendDiagnostics(description.diagnostics, document.path(), result.diagnostics);
    return result;
  }
  if (state->file->modules.size() != 1) {
    RefuseTime("one program at a time: this file holds " +
                   std::to_string(state->file->modules.size()) + " modules",
               document.path(), result);
    return result;
  }
  TimeInputs inputs;
  inputs.documents.push_back(DescriptionOf(*state->file));
  inputs.module = &state->file->modules.front().module;
  inputs.module_path = state->file->path;
  if (!request.autotune_results.empty()) inputs.autotune = TimeText{{}, request.autotune_results};
  if (!request.target_config.empty()) inputs.target_config = TimeText{{}, request.target_config};
  FindTimeTexts(inputs);
  state->internal = AnalyzeTime(internal_request, std::move(inputs));
  for (const halo::Document& each : state->internal.inputs.documents) {
    AppendDiagnostics(each.diagnostics, each.path, result.diagnostics);
  }
  AppendDiagnostics(state->internal.inputs.diagnostics, document.path(), result.diagnostics);
  AppendDiagnostics(state->internal.diagnostics, document.path(), result.diagnostics);
  result.succeeded = state->internal.succeeded;
  if (result.succeeded) FillTimeResult(state->internal, result);
  result.state = state;
  return result;
}

}  // namespace halo::v0
