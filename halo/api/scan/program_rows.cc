// Reads the program once; memory, times and findings are those of the same module.
#include "halo/api/scan/program_rows.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/run_counts.h"
#include "halo/api/check/check_document.h"
#include "halo/api/document/version.h"
#include "halo/api/info/collective_info.h"
#include "halo/api/memory/memory.h"
#include "halo/api/scan/described_rows.h"
#include "halo/api/scan/scan_rows.h"
#include "halo/api/time/time.h"
#include "halo/base/hash.h"
#include "halo/diff/fingerprint/fingerprint.h"
#include "halo/diff/graph/value_label.h"
#include "halo/ir/op_properties.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/explain/origins.h"

namespace halo {
namespace {

// What a hostile module could otherwise make of a row each.
constexpr size_t kMostFindings = 1000;

uint64_t DigestOf(std::string_view text) { return HashBytes(text.data(), text.size()); }

// What decides the rows besides the module: its assignment, what the dump says about the device,
// and what the user asked for.
uint64_t DigestOfRest(const MemoryInputs& inputs, const TimeInputs& texts,
                      const std::string& device) {
  uint64_t digest = DigestOf(device);
  for (const Document& document : inputs.documents) {
    if (document.modules.empty() && document.source) {
      digest = HashWords({digest, DigestOf(document.source->bytes())});
    }
    for (const DocumentModule& each : document.modules) {
      digest = HashWords({digest, DigestOf(each.proto.buffer_assignment)});
    }
  }
  for (const std::optional<TimeText>* text : {&texts.autotune, &texts.target_config}) {
    digest = HashWords({digest, *text ? DigestOf((*text)->text) : 0});
  }
  return digest;
}

std::string ReasonOf(const Diagnostic& why) {
  std::string text;
  if (why.location.line != 0) {
    text = std::to_string(why.location.line) + ":" + std::to_string(why.location.column) + ": ";
  }
  return text + why.message + " [" + std::string(why.code.text) + "]";
}

// Why the inputs cannot be used; empty if they can.
std::string WhyRefused(const MemoryInputs& inputs) {
  for (const Document& document : inputs.documents) {
    for (const Diagnostic* each : document.AllDiagnostics()) {
      if (each->severity == Severity::kError) return ReasonOf(*each);
    }
  }
  for (const Diagnostic& each : inputs.diagnostics.all()) {
    if (each.severity == Severity::kError) return ReasonOf(each);
  }
  if (inputs.module == nullptr) return "there is no module, only its buffer assignment";
  if (!inputs.module->entry.valid()) return "the module has no entry computation";
  return {};
}

class ProgramDescriber {
 public:
  ProgramDescriber(const Module& module, int64_t program, int64_t shard, ScanRows& rows)
      : module_(module), program_(program), shard_(shard), rows_(rows) {}

  void AddInstructions() {
    RowTable& table = RowsOf(rows_, ScanTable::kInstructions);
    const CallGraph calls(module_);
    std::unordered_map<uint32_t, std::string> shapes;  // texts by ShapeId
    for (size_t i = 0; i < module_.insts.size(); ++i) {
      const Inst& inst = module_.insts[i];
      const Origin origin = OriginOf(module_, InstId(static_cast<uint32_t>(i)));
      const CallGraph::Context context = calls.context(inst.parent);
      const auto [shape, is_new] = shapes.try_emplace(inst.shape.value);
      if (is_new) shape->second = module_.shapes.Text(inst.shape);
      const std::string opcode = OpText(inst), source = SourceText(origin);
      const documents::InstructionRow row = {
          .inst = static_cast<int64_t>(i),
          .name = module_.name_of(inst),
          .opcode = opcode,
          .dtype = TextOf(module_.shapes.type(inst.shape)),
          .shape = shape->second,
          .bytes = module_.shapes.ByteSize(ResultShape(module_, inst)).value_or(0),
          .computation = module_.text(module_.comp(inst.parent).name),
          .is_embedded =
              context != CallGraph::Context::kControlFlow && context != CallGraph::Context::kBoth,
          .op_name = origin.op_name,
          .source = source};
      AddResult(row, Begin(table));
    }
  }

  void AddCollectives(const TimeResult& time) {
    std::unordered_map<uint32_t, const TimedOp*> times;
    for (const TimedOp& op : time.ops) times.emplace(op.inst.value, &op);
    RowTable& table = RowsOf(rows_, ScanTable::kCollectives);
    const std::vector<RunCount> runs = CountRuns(module_);
    CollectiveCounter counter(module_, runs);
    for (size_t i = 0; i < module_.insts.size(); ++i) {
      const Inst& inst = module_.insts[i];
      const Opcode opcode = CollectiveOf(inst);
      if (opcode == Opcode::kUnknown) continue;
      const Origin origin = OriginOf(module_, InstId(static_cast<uint32_t>(i)));
      const auto found = times.find(static_cast<uint32_t>(i));
      const std::string source = SourceText(origin);
      documents::CollectiveRow row = {
          .inst = static_cast<int64_t>(i),
          .name = module_.name_of(inst),
          .opcode = TextOf(opcode),
          .is_async = HasTrait(inst.opcode, kAsyncStart),
          .dtype = TextOf(module_.shapes.type(ResultShape(module_, inst))),
          .bytes = counter.BytesMoved(inst),
          .group_size = counter.GroupSizeOf(inst),
          .runs = runs[inst.parent.index()].runs,
          .seconds = {},
          .exposed_seconds = {},
          .op_name = origin.op_name,
          .source = source};
      if (found != times.end()) {
        row.seconds = found->second->total();
        row.exposed_seconds = found->second->exposed * found->second->runs;
      }
      AddResult(row, Begin(table));
    }
  }

  void AddBuffers(const MemoryExplanation& memory) {
    RowTable& table = RowsOf(rows_, ScanTable::kBuffers);
    for (const LiveEntry& each : MergeAlike(memory.entries)) {
      AddResult<v0::LiveValue>(each, Begin(table));
    }
  }

  void AddTimes(const TimeResult& time) {
    RowTable& table = RowsOf(rows_, ScanTable::kTimes);
    for (const TimedOp& op : time.ops) {
      const documents::TimeRow row = {.inst = op.inst.value,
                                      .name = op.name,
                                      .opcode = op.opcode,
                                      .kind = KernelKindText(op.kind),
                                      .runs = op.runs,
                                      .seconds = op.total(),
                                      .exposed_seconds = op.exposed * op.runs,
                                      .critical_seconds = op.critical,
                                      .flops = op.cost.work.flops * op.runs,
                                      .traffic_bytes = op.cost.traffic.main() * op.runs,
                                      .bound = TimeBoundText(op.time.bound),
                                      .estimated_by = TimeSourceText(op.time.source),
                                      .op_name = op.op_name,
                                      .source = op.source};
      AddResult(row, Begin(table));
    }
  }

  void AddFindings(const CheckedFile& checked) {
    RowTable& table = RowsOf(rows_, ScanTable::kFindings);
    for (size_t i = 0; i < std::min(checked.notes.size(), kMostFindings); ++i) {
      const CheckNote& note = checked.notes[i];
      const bool is_error = note.diagnostic.severity == Severity::kError;
      const documents::FindingRow row = {.severity = is_error ? "error" : "warning",
                                         .code = note.label(),
                                         .computation = note.computation,
                                         .instruction = note.instruction,
                                         .message = note.diagnostic.message};
      AddResult(row, Begin(table));
    }
  }

  void AddModule(const MemoryResult& memory, const TimeResult& time, const CheckedFile& checked,
                 uint64_t fingerprint) {
    documents::ModuleRow row;
    row.name = module_.text(module_.name);
    row.fingerprint = FingerprintText(fingerprint);
    row.values_fingerprint = FingerprintText(FingerprintValues(module_));
    row.collectives_fingerprint =
        FingerprintText(FingerprintCollectives(CollectiveSequence(module_)));
    if (memory.backend) row.backend = BackendName(*memory.backend);
    row.is_scheduled = module_.is_scheduled();
    row.replicas = module_.IntOr(module_.attrs, AttrKey::k_replica_count, 1);
    row.partitions = module_.IntOr(module_.attrs, AttrKey::k_num_partitions, 1);
    row.computations = static_cast<int64_t>(module_.order.size());
    row.instructions = static_cast<int64_t>(module_.insts.size());
    row.errors = static_cast<int64_t>(checked.errors);
    row.warnings = static_cast<int64_t>(checked.warnings);
    if (memory.succeeded) AddMemory(memory, row);
    if (time.succeeded) {
      row.device = time.device.name;
      row.is_device_known = time.device_is_certain;
      row.seconds = time.step.estimate;
      row.flops = time.cost.work.flops;
      row.traffic_bytes = time.cost.traffic.main();
      row.sent_bytes = time.cost.sent;
    }
    AddResult(row, Begin(RowsOf(rows_, ScanTable::kModules)));
  }

 private:
  static void AddMemory(const MemoryResult& memory, documents::ModuleRow& row) {
    const MemoryExplanation& explained = memory.explanation;
    const auto bytes_of = [&](MemoryKind kind) {
      return explained.by_kind[static_cast<size_t>(kind)];
    };
    row.memory_bytes = explained.device_bytes;
    row.parameter_bytes = bytes_of(MemoryKind::kParameter);
    row.output_bytes = bytes_of(MemoryKind::kOutput);
    row.temp_bytes = bytes_of(MemoryKind::kTemp);
    row.constant_bytes = bytes_of(MemoryKind::kConstant);
    row.is_planned = memory.is_planned;
    if (!explained.has_times) return;
    row.peak_bytes = explained.peak_bytes;
    row.peak_instruction = explained.peak_instruction;
  }

  RowTable& Begin(RowTable& table) const { return table.Int(program_).Int(shard_); }

  // X-start for the first half of an async X in any notation.
  [[nodiscard]] std::string OpText(const Inst& inst) const {
    if ((inst.flags & kInstSugar) == 0) return std::string(module_.opcode_text(inst));
    const std::string_view half = HasTrait(inst.opcode, kAsyncStart)    ? "-start"
                                  : HasTrait(inst.opcode, kAsyncUpdate) ? "-update"
                                                                        : "-done";
    return std::string(TextOf(inst.wrapped)) + std::string(half);
  }

  const Module& module_;
  int64_t program_, shard_;
  ScanRows& rows_;
};

const Document* DocumentOf(const MemoryInputs& inputs) {
  for (const Document& document : inputs.documents) {
    if (!document.modules.empty()) return &document;
  }
  return nullptr;
}

}  // namespace

DescribedProgram DescribeProgram(ScanInput input, const DescribeOptions& options) {
  DescribedProgram result;
  result.input = std::move(input);
  result.refused = result.input.refused;
  if (!result.refused.empty()) return result;
  MemoryInputOptions open;
  open.open.threads = options.threads;
  MemoryInputs inputs = OpenMemoryInputs({result.input.path}, open);
  result.refused = WhyRefused(inputs);
  if (!result.refused.empty()) return result;
  const Module& module = *inputs.module;
  TimeInputs texts;
  texts.module = inputs.module;
  texts.module_path = inputs.module_path;
  FindTimeTexts(texts);
  const uint64_t fingerprint = FingerprintModule(module);
  result.program =
      static_cast<int64_t>(HashWords({fingerprint, DigestOfRest(inputs, texts, options.device)}));
  if (options.is_known && options.is_known(*result.program)) return result;

  MemoryRequest memory_request;
  memory_request.advice = AdviceDepth::kNone;
  const MemoryResult memory = AnalyzeMemory(memory_request, std::move(inputs));
  TimeRequest time_request;
  time_request.device = options.device;
  time_request.advise = false;
  const TimeResult time = AnalyzeTime(time_request, std::move(texts));
  const CheckedFile checked = CheckDocument(*DocumentOf(memory.inputs));
  result.rows = EmptyScanRows();
  ProgramDescriber describer(module, *result.program, options.shard, result.rows);
  describer.AddModule(memory, time, checked, fingerprint);
  describer.AddInstructions();
  describer.AddCollectives(time);
  if (memory.succeeded && memory.explanation.has_times) describer.AddBuffers(memory.explanation);
  if (time.succeeded) describer.AddTimes(time);
  describer.AddFindings(checked);
  return result;
}

void AddFileRow(const DescribedProgram& described, bool is_first, int64_t shard, RowTable& files) {
  const ScanInput& input = described.input;
  files.Text(input.path).Int(shard).Text(input.module).Text(input.stage).Int(input.bytes);
  files.Int(input.modified).Text(Version()).Int(described.program).Bool(is_first);
  described.refused.empty() ? files.Hole() : files.Text(described.refused);
}

}  // namespace halo
