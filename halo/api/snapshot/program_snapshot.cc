// Reads the program once; memory, time and counts are taken from the same module.
#include "halo/api/snapshot/program_snapshot.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "halo/analysis/graph/call_graph.h"
#include "halo/api/document/version.h"
#include "halo/api/time/time.h"
#include "halo/base/capped.h"
#include "halo/diff/fingerprint/fingerprint.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// Six digits: the rest depends on the machine that computes them.
double Rounded(double value) {
  if (!std::isfinite(value)) return 0;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

// The op that an instruction performs; kUnknown for the first half of an async pair, since the
// second has the shape of the result.
Opcode PerformedBy(const Inst& inst) {
  const OpProperties& properties = PropertiesOf(inst.opcode);
  if (properties.partner == Opcode::kUnknown) return inst.opcode;
  if (HasTrait(inst.opcode, kAsyncDone)) return SynchronousOf(properties.partner);
  return Opcode::kUnknown;
}

void CountOps(const Module& module, ProgramSnapshot& snapshot) {
  const CallGraph calls(module);
  for (const CompId id : calls.post_order()) {
    const CallGraph::Context context = calls.context(id);
    const bool is_run =
        context == CallGraph::Context::kControlFlow || context == CallGraph::Context::kBoth;
    const Computation& comp = module.comp(id);
    for (uint32_t i = 0; i < comp.count; ++i) {
      const Inst& inst = module.insts[comp.first + i];
      const bool is_collective = PropertiesOf(inst.opcode).group != CollectiveFamily::kNone;
      if (!is_run && !is_collective) continue;
      if (inst.opcode == Opcode::kUnknown) {
        ++snapshot.ops[std::string(module.opcode_text(inst))];
        continue;
      }
      const Opcode opcode = PerformedBy(inst);
      if (opcode == Opcode::kUnknown) continue;
      const std::string op(TextOf(opcode));
      ++snapshot.ops[op];
      if (HasSizes(op)) ++snapshot.sized[{op, module.shapes.ByteSize(inst.shape).value_or(0)}];
    }
  }
}

void AddTime(const std::string& device, const SnapshotResult& result, ProgramSnapshot& snapshot) {
  TimeInputs inputs;
  inputs.module = result.memory.inputs.module;
  inputs.module_path = result.memory.inputs.module_path;
  FindTimeTexts(inputs);
  TimeRequest how;
  how.device = device;
  const TimeResult time = AnalyzeTime(how, std::move(inputs));
  if (!time.succeeded) return;
  snapshot.seconds = Rounded(time.step.estimate);
  snapshot.device = time.device.name;
}

// From the result's memory.
void Fill(const std::string& device, SnapshotResult& result) {
  const Module& module = *result.memory.inputs.module;
  ProgramSnapshot& snapshot = result.snapshot;
  snapshot.version = Version();
  snapshot.program = module.text(module.name);
  if (result.memory.backend) snapshot.backend = BackendName(*result.memory.backend);
  snapshot.instructions = static_cast<int64_t>(module.instruction_count());
  snapshot.values = FingerprintText(FingerprintValues(module));
  snapshot.module = FingerprintText(FingerprintModule(module));
  snapshot.collectives = FingerprintText(FingerprintCollectives(CollectiveSequence(module)));
  CountOps(module, snapshot);
  if (result.memory.succeeded) {
    const MemoryExplanation& memory = result.memory.explanation;
    snapshot.memory_bytes = memory.device_bytes;
    snapshot.temp_bytes = memory.by_kind[static_cast<size_t>(MemoryKind::kTemp)];
    if (memory.has_times) snapshot.peak_bytes = memory.peak_bytes;
    snapshot.is_planned = result.memory.is_planned;
  }
  AddTime(device, result, snapshot);
  result.succeeded = true;
}

MemoryRequest MemoryOnly() {
  MemoryRequest request;
  request.advice = AdviceDepth::kNone;
  return request;
}

}  // namespace

int64_t ProgramSnapshot::CountAbove(std::string_view op, int64_t bytes) const {
  int64_t total = 0;
  for (const auto& [key, count] : sized) {
    if (key.first == op && key.second > bytes) total = AddCapped(total, count);
  }
  return total;
}

int64_t ProgramSnapshot::Count(std::string_view op) const {
  const auto found = ops.find(std::string(op));
  return found == ops.end() ? 0 : found->second;
}

int64_t ProgramSnapshot::collective_count() const {
  int64_t total = 0;
  for (const auto& [key, count] : sized) {
    if (key.first != TextOf(Opcode::kCopy)) total = AddCapped(total, count);
  }
  return total;
}

int64_t ProgramSnapshot::collective_bytes() const {
  int64_t total = 0;
  for (const auto& [key, count] : sized) {
    if (key.first == TextOf(Opcode::kCopy)) continue;
    total = AddCapped(total, MultiplyCapped(key.second, count));
  }
  return total;
}

bool HasSizes(std::string_view op) {
  const std::optional<Opcode> opcode = OpcodeFromText(op);
  if (!opcode) return false;
  return *opcode == Opcode::kCopy || PropertiesOf(*opcode).group != CollectiveFamily::kNone;
}

SnapshotResult TakeSnapshot(const SnapshotRequest& request) {
  SnapshotResult result;
  MemoryRequest how = MemoryOnly();
  how.files = {request.path};
  how.open = request.open;
  result.memory = AnalyzeMemory(how);
  const MemoryInputs& inputs = result.memory.inputs;
  for (const Document& document : inputs.documents) {
    if (!document.modules.empty() && &document.modules.front().module == inputs.module) {
      result.document = &document;
    }
  }
  if (result.document == nullptr || result.document->errors() != 0) return result;
  Fill(request.device, result);
  return result;
}

SnapshotResult TakeSnapshot(MemoryInputs inputs, const std::string& device) {
  SnapshotResult result;
  result.memory = AnalyzeMemory(MemoryOnly(), std::move(inputs));
  if (result.memory.inputs.module != nullptr) Fill(device, result);
  return result;
}

}  // namespace halo
