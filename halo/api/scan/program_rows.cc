// Reads the program once; memory, times and findings are those of the same module.
#include "halo/api/scan/program_rows.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/run_counts.h"
#include "halo/api/check/check_document.h"
#include "halo/api/document/json_parts.h"
#include "halo/api/info/collective_info.h"
#include "halo/api/memory/memory.h"
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
    std::unordered_map<uint32_t, uint32_t> shape_texts;  // by ShapeId
    for (size_t i = 0; i < module_.insts.size(); ++i) {
      const Inst& inst = module_.insts[i];
      const Origin origin = OriginOf(module_, InstId(static_cast<uint32_t>(i)));
      const CallGraph::Context context = calls.context(inst.parent);
      Begin(table).Int(static_cast<int64_t>(i));
      table.Text(module_.name_of(inst)).Text(OpText(inst));
      table.Text(TextOf(module_.shapes.type(inst.shape)));
      const auto [known, is_new] = shape_texts.try_emplace(inst.shape.value, 0);
      if (is_new) known->second = table.next().TextId(module_.shapes.Text(inst.shape));
      table.TextId(known->second);
      table.Int(module_.shapes.ByteSize(ResultShape(module_, inst)).value_or(0));
      table.Text(module_.text(module_.comp(inst.parent).name));
      table.Bool(context != CallGraph::Context::kControlFlow &&
                 context != CallGraph::Context::kBoth);
      table.Text(origin.op_name).Text(SourceText(origin));
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
      const ShapeId result = ResultShape(module_, inst);
      Begin(table).Int(static_cast<int64_t>(i)).Text(module_.name_of(inst)).Text(TextOf(opcode));
      table.Bool(HasTrait(inst.opcode, kAsyncStart));
      table.Text(TextOf(module_.shapes.type(result)));
      table.Int(counter.BytesMoved(inst)).Int(counter.GroupSizeOf(inst));
      table.Int(runs[inst.parent.index()].runs);
      if (found == times.end()) {
        table.Hole().Hole();
      } else {
        table.Real(found->second->total()).Real(found->second->exposed * found->second->runs);
      }
      table.Text(origin.op_name).Text(SourceText(origin));
    }
  }

  void AddBuffers(const MemoryExplanation& memory) {
    RowTable& table = RowsOf(rows_, ScanTable::kBuffers);
    for (const LiveEntry& each : MergeAlike(memory.entries)) {
      Begin(table).Text(each.name).Text(each.opcode).Text(each.dtype).Text(each.shape);
      table.Int(each.bytes).Int(each.count).Text(MemoryKindText(each.kind));
      table.Text(ValueRoleText(each.role)).Text(each.op_name).Text(each.source);
      table.Text(each.needed_by);
    }
  }

  void AddTimes(const TimeResult& time) {
    RowTable& table = RowsOf(rows_, ScanTable::kTimes);
    for (const TimedOp& op : time.ops) {
      Begin(table).Int(op.inst.value).Text(op.name).Text(op.opcode).Text(KernelKindText(op.kind));
      table.Real(op.runs).Real(op.total()).Real(op.exposed * op.runs).Real(op.critical);
      table.Real(op.cost.work.flops * op.runs).Real(op.cost.traffic.main() * op.runs);
      table.Text(TimeBoundText(op.time.bound)).Text(TimeSourceText(op.time.source));
      table.Text(op.op_name).Text(op.source);
    }
  }

  void AddFindings(const CheckedFile& checked) {
    RowTable& table = RowsOf(rows_, ScanTable::kFindings);
    for (size_t i = 0; i < std::min(checked.notes.size(), kMostFindings); ++i) {
      const CheckNote& note = checked.notes[i];
      Begin(table).Text(note.diagnostic.severity == Severity::kError ? "error" : "warning");
      table.Text(note.label()).Text(note.computation).Text(note.instruction);
      table.Text(note.diagnostic.message);
    }
  }

  void AddModule(const MemoryResult& memory, const TimeResult& time, const CheckedFile& checked,
                 uint64_t fingerprint) {
    RowTable& table = RowsOf(rows_, ScanTable::kModules);
    Begin(table).Text(module_.text(module_.name)).Text(FingerprintText(fingerprint));
    table.Text(FingerprintText(FingerprintValues(module_)));
    table.Text(FingerprintText(FingerprintCollectives(CollectiveSequence(module_))));
    memory.backend ? table.Text(BackendName(*memory.backend)) : table.Hole();
    table.Bool(module_.is_scheduled());
    table.Int(module_.IntOr(module_.attrs, AttrKey::k_replica_count, 1));
    table.Int(module_.IntOr(module_.attrs, AttrKey::k_num_partitions, 1));
    table.Int(static_cast<int64_t>(module_.order.size()));
    table.Int(static_cast<int64_t>(module_.insts.size()));
    table.Int(static_cast<int64_t>(checked.errors)).Int(static_cast<int64_t>(checked.warnings));
    const MemoryExplanation& explained = memory.explanation;
    const auto figure = [&](int64_t value, bool exists = true) {
      table.Int(memory.succeeded && exists ? std::optional(value) : std::nullopt);
    };
    figure(explained.device_bytes);
    for (const MemoryKind kind :
         {MemoryKind::kParameter, MemoryKind::kOutput, MemoryKind::kTemp, MemoryKind::kConstant}) {
      figure(explained.by_kind[static_cast<size_t>(kind)]);
    }
    const bool has_peak = memory.succeeded && explained.has_times;
    figure(explained.peak_bytes, has_peak);
    has_peak ? table.Text(explained.peak_instruction) : table.Hole();
    memory.succeeded ? table.Bool(memory.is_planned) : table.Hole();
    if (!time.succeeded) {
      table.Hole().Hole().Hole().Hole().Hole().Hole();
      return;
    }
    table.Text(time.device.name).Bool(time.device_is_certain).Real(time.step.estimate);
    table.Real(time.cost.work.flops).Real(time.cost.traffic.main()).Real(time.cost.sent);
  }

 private:
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
