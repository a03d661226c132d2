// `halo memory` through the public interface, for documents that are already open.
#include "haloscope/memory.h"

#include "halo/api/memory/memory.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/public/document_state.h"
#include "halo/view/model/shown_assignment.h"

namespace halo::v0 {
namespace {

void Refuse(std::string message, std::string_view file, MemoryResult& result) {
  result.diagnostics.push_back(
      PublicDiagnostic(MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message)), file));
}

halo::MemoryRequest InternalRequest(const MemoryRequest& request) {
  halo::MemoryRequest internal;
  internal.plan = request.plan;
  if (!request.backend.empty()) internal.backend = BackendFromName(request.backend);
  internal.device = request.device;
  internal.capacity = request.capacity;
  internal.alignment = request.alignment;
  internal.change = {.donate = request.donate,
                     .recompute = request.recompute,
                     .earlier = request.earlier,
                     .later = request.later,
                     .bf16 = request.bf16,
                     .unpad = request.unpad};
  internal.drop_alias = request.drop_alias;
  internal.check = request.check;
  switch (request.advice) {
    case MemoryAdvice::kNone: internal.advice = AdviceDepth::kNone; break;
    case MemoryAdvice::kQuick: internal.advice = AdviceDepth::kQuick; break;
    case MemoryAdvice::kThorough: internal.advice = AdviceDepth::kThorough; break;
  }
  return internal;
}

MemoryEntry EntryOf(const LiveEntry& from) {
  MemoryEntry to;
  to.name = from.name;
  to.shape = from.shape;
  to.opcode = from.opcode;
  to.op_name = from.op_name;
  to.scope = from.scope;
  to.source = from.source;
  to.kind = MemoryKindText(from.kind);
  to.role = ValueRoleText(from.role);
  to.needed_by = from.needed_by;
  to.bytes = from.bytes;
  to.count = from.count;
  to.start = from.start;
  to.end = from.end;
  return to;
}

// False, with the reason in the result, if the request is not valid.
bool Accept(const MemoryRequest& request, size_t modules, std::string_view file,
            MemoryResult& result) {
  if (!request.backend.empty() && !BackendFromName(request.backend)) {
    Refuse("no backend is called " + request.backend, file, result);
  }
  if (!request.device.empty() && FindMemoryDevice(request.device) == nullptr) {
    Refuse("no device is called " + request.device, file, result);
  }
  if (request.alignment &&
      (*request.alignment <= 0 || (*request.alignment & (*request.alignment - 1)) != 0)) {
    Refuse("an alignment must be a power of two", file, result);
  }
  if (modules > 1) {
    Refuse("one program at a time: these files hold " + std::to_string(modules) + " modules", file,
           result);
  }
  return result.diagnostics.empty();
}

void FillMemoryResult(const halo::MemoryResult& internal, MemoryResult& result) {
  const MemoryExplanation& explained = internal.explanation;
  const auto of_kind = [&](MemoryKind kind) {
    return explained.by_kind[static_cast<size_t>(kind)];
  };
  result.program = internal.program;
  result.backend = BackendText(internal.backend);
  result.is_planned = internal.is_planned;
  result.total_bytes = explained.total_bytes;
  result.device_bytes = explained.device_bytes;
  result.parameter_bytes = of_kind(MemoryKind::kParameter);
  result.output_bytes = of_kind(MemoryKind::kOutput);
  result.temp_bytes = of_kind(MemoryKind::kTemp);
  result.constant_bytes = of_kind(MemoryKind::kConstant);
  result.peak_bytes = explained.peak_bytes;
  result.peak_time = explained.peak_time;
  result.peak_instruction = explained.peak_instruction;
  result.profile = explained.profile;
  for (const LiveEntry& each : explained.entries) result.entries.push_back(EntryOf(each));
  for (const Advice& each : internal.advice) {
    result.savings.push_back({.kind = std::string(AdviceKindText(each.kind)),
                              .change = each.what,
                              .cost = each.cost,
                              .bytes_saved = each.bytes_saved,
                              .instructions = each.instructions,
                              .parameters = each.parameters,
                              .brief = each.brief,
                              .how = each.how,
                              .option = OptionsOf(each.change),
                              .scope = each.scope,
                              .source = each.source});
  }
  result.verdict = internal.verdict.text;
  result.peak_scope = internal.verdict.scope;
  result.peak_phase = internal.verdict.phase;
  result.peak_source = internal.verdict.source;
  for (const DeviceFit& each : internal.verdict.devices) {
    result.devices.push_back({each.name, each.title, each.capacity, each.fits});
  }
  result.capacity = internal.capacity;
  if (internal.findings) result.is_sound = internal.findings->ok();
}

}  // namespace

struct MemoryState {
  // The result refers to modules of these files.
  std::vector<std::shared_ptr<const halo::Document>> files;
  halo::MemoryResult internal;
};

std::string MemoryResult::ToJson(size_t top) const {
  return state == nullptr || !succeeded ? std::string() : MemoryJson(state->internal, top);
}

MemoryResult Memory(const Document& document, const MemoryRequest& request) {
  MemoryResult result;
  const auto state = std::make_shared<MemoryState>();
  state->files.push_back(OpenedFile(document));
  for (const Document& each : request.related) state->files.push_back(OpenedFile(each));
  const Module* module = nullptr;
  std::string_view module_path;
  size_t modules = 0;
  for (const auto& file : state->files) {
    modules += file->modules.size();
    if (module != nullptr || file->modules.empty()) continue;
    module = &file->modules.front().module;
    module_path = file->path;
  }
  if (!Accept(request, modules, document.path(), result)) return result;
  halo::MemoryResult& internal = state->internal;
  internal =
      AnalyzeMemory(InternalRequest(request), view::InputsOf(state->files, module, module_path));
  for (const halo::Document& each : internal.inputs.documents) {
    AppendDiagnostics(each.diagnostics, each.path, result.diagnostics);
  }
  AppendDiagnostics(internal.inputs.diagnostics, document.path(), result.diagnostics);
  AppendDiagnostics(internal.diagnostics, document.path(), result.diagnostics);
  result.succeeded = internal.succeeded;
  if (internal.succeeded) FillMemoryResult(internal, result);
  result.state = state;
  return result;
}

}  // namespace halo::v0
