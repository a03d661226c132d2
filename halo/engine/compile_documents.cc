// Prepares each module as if to run it, and prints the result with the same writers that round-trip
// XLA's own documents.
#include "halo/engine/compile_documents.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "halo/analysis/graph/call_graph.h"
#include "halo/api/run/run_verify.h"
#include "halo/codegen/prepare.h"
#include "halo/memory/check/check_assignment.h"
#include "halo/memory/text/memory_report.h"
#include "halo/memory/text/write_assignment.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

// A longer definition, that of a wide tuple, is printed whole with its first value only: with each
// of them, the document would grow with the square of the width.
constexpr size_t kLongDefinition = 1024;

// "%x = (...) custom-call(...)"
std::string ShortDefinition(const Module& module, const Inst& inst, std::string_view whole) {
  return std::string(whole.substr(0, whole.find(" = "))) + " = (...) " +
         std::string(module.opcode_text(inst)) + "(...)";
}

// Attaches to each value the line that defines it.
void AddDefinitions(const Module& module, Assignment& assignment) {
  std::unordered_map<std::string_view, InstId> by_name;
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    by_name.emplace(module.name_of(module.insts[i]), InstId(i));
  }
  std::unordered_map<uint32_t, TextId> next_lines;  // of the next value of an instruction
  for (AssignedValue& value : assignment.values) {
    const auto found = by_name.find(assignment.text(value.instruction));
    if (found == by_name.end()) continue;
    const InstId inst = found->second;
    const auto [next, is_first] = next_lines.try_emplace(inst.value);
    if (!is_first) {
      value.from_instruction = next->second;
      continue;
    }
    const std::string line = InstructionText(module, inst, module.style);
    value.from_instruction = next->second = assignment.Text(line);
    if (line.size() > kLongDefinition) {
      next->second = assignment.Text(ShortDefinition(module, module.inst(inst), line));
    }
  }
}

// The values that are live at peak memory use, the largest first.
void AddPeak(Assignment& assignment) {
  if (assignment.schedule_end < 0) return;
  std::vector<int64_t> changes(static_cast<size_t>(assignment.schedule_end) + 2, 0);
  for (const AssignedValue& value : assignment.values) {
    if (!value.live.known() || value.live.end > assignment.schedule_end) continue;
    changes[static_cast<size_t>(value.live.start)] += value.size;
    changes[static_cast<size_t>(value.live.end) + 1] -= value.size;
  }
  int64_t live = 0, most = -1;
  for (int64_t time = 0; time <= assignment.schedule_end; ++time) {
    live += changes[static_cast<size_t>(time)];
    if (live <= most) continue;
    most = live;
    assignment.peak.time = time;
  }
  const int64_t time = assignment.peak.time;
  for (const AssignedValue& value : assignment.values) {
    if (!value.live.known() || value.live.start > time || value.live.end < time) continue;
    assignment.peak.entries.push_back({value.instruction, value.index, value.size, 0});
  }
  std::sort(assignment.peak.entries.begin(), assignment.peak.entries.end(),
            [](const PeakEntry& a, const PeakEntry& b) {
              return std::tuple(-a.bytes, a.instruction, a.index) <
                     std::tuple(-b.bytes, b.instruction, b.index);
            });
  int64_t sum = 0;
  for (PeakEntry& entry : assignment.peak.entries) entry.cumulative = sum += entry.bytes;
}

int64_t CountRunning(const Module& module, std::optional<Opcode> opcode = {}) {
  const CallGraph calls(module);
  int64_t count = 0;
  for (const Inst& inst : module.insts) {
    const CallGraph::Context context = calls.context(inst.parent);
    const bool runs =
        context == CallGraph::Context::kControlFlow || context == CallGraph::Context::kBoth;
    count += runs && (!opcode || inst.opcode == *opcode) ? 1 : 0;
  }
  return count;
}

void AddDocuments(const std::string& stem, const Module& module, const Assignment& assignment,
                  std::vector<CompiledDocument>& out) {
  out.push_back({stem + ".txt", HloText(module)});
  AssignmentStyle style;
  style.stack_trace = false;
  const auto add = [&](const char* name, AssignmentPiece piece) {
    TextBuffer text;
    WriteAssignment(assignment, style, AssignmentPieces().With(piece), text);
    out.push_back({stem + name, std::string(text.view())});
  };
  add("-buffer-assignment.txt", AssignmentPiece::kAllocations);
  add("-buffer-assignment-values.txt", AssignmentPiece::kValues);
  add("-live-range.txt", AssignmentPiece::kLiveRanges);
  TextBuffer report;
  WriteMemoryReport(MakeMemoryReport(assignment, ReportForm::kMemorySpaces), report);
  out.push_back({stem + "-memory-usage-report.txt", std::string(report.view())});
}

// "module_0007": the number in the file's own name if it follows XLA's pattern, otherwise the
// module's index in the file.
std::string Numbered(std::string_view path, size_t number) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::string_view kPrefix = "module_";
  if (name.starts_with(kPrefix)) {
    const size_t end = name.find_first_not_of("0123456789", kPrefix.size());
    if (end > kPrefix.size() && end < name.size() && name[end] == '.') {
      return std::string(name.substr(0, end));
    }
  }
  std::string digits = std::to_string(number);
  return "module_" + std::string(4 - std::min<size_t>(digits.size(), 4), '0') + digits;
}

Result<CompiledProgram> Compile(const Module& module, size_t number,
                                const CompileRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  CompiledProgram program;
  program.name = module.text(module.name);
  program.instructions_before = CountRunning(module);
  const std::string stem = Numbered(request.file, number) + "." + program.name;
  program.documents.push_back({stem + ".before_optimizations.txt", HloText(module)});
  PrepareOptions options;
  options.with_uses = true;
  options.without = request.without;
  options.wants_log = request.wants_decisions;
  Result<PreparedModule> prepared = PrepareModule(module, options);
  if (!prepared.ok()) return prepared.error();
  Assignment& assignment = prepared->assignment;
  AddDefinitions(prepared->module, assignment);
  AddPeak(assignment);
  AssignmentCheckOptions check;
  check.rules = CheckRules::kCpu;
  const AssignmentFindings findings = CheckAssignment(assignment, &prepared->module, check);
  if (!findings.ok()) program.unsound = findings.findings[0].explanation;
  AddDocuments(stem + ".cpu_after_optimizations", prepared->module, assignment, program.documents);
  program.decisions = std::move(prepared->log);
  program.instructions = CountRunning(prepared->module);
  program.fusions = CountRunning(prepared->module, Opcode::kFusion);
  program.copies = CountRunning(prepared->module, Opcode::kCopy);
  program.total_bytes = assignment.total_bytes;
  for (const Allocation& each : assignment.allocations) {
    if (each.is_preallocated_temp) program.heap_bytes += each.size;
  }
  program.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return program;
}

}  // namespace

CompileResult CompileDocuments(const CompileRequest& request) {
  CompileResult result;
  result.document = OpenDocument(request.file, request.open);
  RequireModules(result.document);
  if (result.document.errors() != 0) return result;
  for (size_t i = 0; i < result.document.modules.size(); ++i) {
    const Module& module = result.document.modules[i].module;
    if (!VerifyBeforeRun(module, result.diagnostics)) continue;
    Result<CompiledProgram> program = Compile(module, i, request);
    if (program.ok()) {
      result.programs.push_back(std::move(*program));
    } else {
      result.diagnostics.Add(program.error());
    }
  }
  return result;
}

}  // namespace halo
