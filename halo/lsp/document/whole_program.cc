// Programs beyond a size are read and checked only: planning them takes more memory than an
// editor's helper may use.
#include "halo/lsp/document/whole_program.h"

#include <utility>

#include "halo/api/memory/memory.h"
#include "halo/api/time/time.h"
#include "halo/lsp/document/find_instruction.h"
#include "halo/memory/bind/bound_assignment.h"

namespace halo::lsp {
namespace {

constexpr size_t kMostAnalyzed = 200'000;  // instructions

SourceBuffer BufferOf(const WholeRequest& request) {
  auto text = std::make_shared<std::string>();
  size_t bytes = 0;
  for (const Piece& each : request.pieces) bytes += each.text.size();
  text->reserve(bytes + SourceBuffer::kPadding);
  for (const Piece& each : request.pieces) *text += each.text;
  text->append(SourceBuffer::kPadding, '\0');
  const std::string_view all = std::string_view(*text).substr(0, bytes);
  Result<SourceBuffer> adopted = SourceBuffer::Adopt(text, all, request.path);
  // Only what looks compressed can fail; such a text is then reported as what it is.
  return adopted ? std::move(*adopted) : SourceBuffer::Copy(all, request.path);
}

void AddMemory(const Module& module, WholeProgram& program) {
  MemoryInputs inputs;
  inputs.module = &module;
  inputs.documents.emplace_back();
  inputs.found.push_back(false);
  MemoryRequest request;
  request.plan = true;
  request.advice = AdviceDepth::kNone;
  const MemoryResult result = AnalyzeMemory(request, std::move(inputs));
  if (!result.succeeded) return;
  const MemoryExplanation& explanation = result.explanation;
  program.has_memory = true;
  program.device_bytes = explanation.device_bytes;
  program.memory_verdict = result.verdict.text;
  // An order that is chosen here is not the text's.
  if (!explanation.has_times || !result.ids || !result.is_scheduled) return;
  program.peak_time = explanation.peak_time;
  program.peak_bytes = explanation.peak_bytes;
  const BoundAssignment bound(result.assignment, &module, *result.ids);
  for (size_t i = 0; i < result.assignment.values.size(); ++i) {
    const InstId inst = bound.value(ValueId(i)).inst;
    if (!inst.valid() || inst.index() >= program.facts.size()) continue;
    LiveRange& live = program.facts[inst.index()].live;
    if (!live.known()) live = result.assignment.values[i].live;
  }
  if (const InstId at = bound.at(explanation.peak_time); at.valid()) {
    program.peak_instruction = module.name_of(module.inst(at));
    program.peak_computation = module.text(module.comp(module.inst(at).parent).name);
  }
}

void AddTime(const Module& module, const std::string& path, WholeProgram& program) {
  TimeInputs inputs;
  inputs.module = &module;
  inputs.module_path = path;
  inputs.documents.emplace_back();
  FindTimeTexts(inputs);
  TimeRequest request;
  request.advise = false;
  const TimeResult result = AnalyzeTime(request, std::move(inputs));
  if (!result.succeeded) return;
  program.has_time = true;
  program.step_seconds = result.step.estimate;
  program.time_verdict = result.verdict;
  program.device = result.device.name;
  for (const TimedOp& op : result.ops) {
    if (op.inst.index() >= program.facts.size()) continue;
    InstructionFacts& facts = program.facts[op.inst.index()];
    facts.seconds = static_cast<float>(op.time.seconds);
    facts.flops = op.cost.work.flops;
    facts.runs = op.runs;
  }
}

}  // namespace

const InstructionFacts* WholeProgram::Find(std::string_view computation,
                                           std::string_view instruction, InstId after) const {
  if (module == nullptr || facts.empty()) return nullptr;
  const InstId found = FindInstruction(*module, computation, instruction, after);
  return found.valid() ? &facts[found.index()] : nullptr;
}

WholeProgram ReadWhole(const WholeRequest& request) {
  WholeProgram program;
  program.uri = request.uri;
  program.edits = request.edits;
  for (const Piece& each : request.outdated) {
    program.readings.emplace_back(each, std::make_shared<const ComputationReadResult>(
                                            ReadHloComputation(each.text, request.stack_frames)));
  }
  Document document = ReadDocument(BufferOf(request), request.path, {.keep_source = true});
  RequireContents(document);
  CheckedFile checked = CheckDocument(document);
  program.kind = document.kind;
  program.notes = std::move(checked.notes);
  program.has_file_notes = !document.diagnostics.empty();
  program.reading_errors = document.errors();
  if (document.modules.size() == 1) {
    program.computations = document.modules[0].module.order.size();
  }
  document.source.reset();
  if (!request.analyze || document.modules.size() != 1 || !document.modules[0].diagnostics.ok() ||
      document.modules[0].module.insts.size() > kMostAnalyzed || checked.errors > 0) {
    return program;
  }
  program.module = std::make_unique<Module>(std::move(document.modules[0].module));
  program.facts.resize(program.module->insts.size());
  AddMemory(*program.module, program);
  AddTime(*program.module, request.path, program);
  return program;
}

}  // namespace halo::lsp
