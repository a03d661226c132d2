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

MemoryQuestion QuestionOf(const MemoryRequest& request) {
  MemoryQuestion question;
  question.plan = request.plan;
  if (!request.backend.empty()) question.backend = BackendFromName(request.backend);
  question.device = request.device;
  question.capacity = request.capacity;
  question.alignment = request.alignment;
  question.donate = request.donate;
  question.drop_alias = request.drop_alias;
  question.check = request.check;
  switch (request.advice) {
    case MemoryAdvice::kNone: question.advice = AdviceDepth::kNone; break;
    case MemoryAdvice::kQuick: question.advice = AdviceDepth::kQuick; break;
    case MemoryAdvice::kThorough: question.advice = AdviceDepth::kThorough; break;
  }
  return question;
}

MemoryEntry EntryOf(const LiveItem& from) {
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

void FillMemoryResult(const MemoryAnswer& answer, MemoryResult& result) {
  const MemoryExplanation& explained = answer.explanation;
  const auto of_kind = [&](MemoryKind kind) {
    return explained.by_kind[static_cast<size_t>(kind)];
  };
  result.program = answer.program;
  result.backend = BackendText(answer.backend);
  result.is_planned = answer.is_planned;
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
  for (const LiveItem& each : explained.items) result.entries.push_back(EntryOf(each));
  for (const Advice& each : answer.advice) {
    result.savings.push_back({std::string(AdviceKindText(each.kind)), each.what, each.cost,
                              each.bytes_saved, each.instructions, each.parameters});
  }
  result.capacity = answer.capacity;
  if (answer.findings) result.is_sound = answer.findings->ok();
}

}  // namespace

struct MemoryState {
  // The result refers to modules of these files.
  std::vector<std::shared_ptr<const halo::Document>> files;
  MemoryAnswer answer;
};

std::string MemoryResult::ToJson(size_t top) const {
  return state == nullptr || !has_answer ? std::string() : MemoryJson(state->answer, top);
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
  MemoryAnswer& answer = state->answer;
  answer = AnswerMemory(QuestionOf(request), view::InputsOf(state->files, module, module_path));
  for (const halo::Document& each : answer.inputs.documents) {
    AppendDiagnostics(each.diagnostics, each.path, result.diagnostics);
  }
  AppendDiagnostics(answer.inputs.diagnostics, document.path(), result.diagnostics);
  AppendDiagnostics(answer.diagnostics, document.path(), result.diagnostics);
  result.has_answer = answer.has_answer;
  if (answer.has_answer) FillMemoryResult(answer, result);
  result.state = state;
  return result;
}

}  // namespace halo::v0
