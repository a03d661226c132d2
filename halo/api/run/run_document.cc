// Summarizes the arrays and puts the parts of a result where the document has them.
#include "halo/api/run/run_document.h"

#include <span>
#include <utility>

#include "halo/api/describe/result_parts.h"
#include "halo/api/inputs/array_names.h"
#include "halo/api/observe/run_text_parts.h"
#include "halo/base/hash.h"
#include "halo/base/strings/hex.h"
#include "halo/describe/write_json.h"
#include "halo/eval/inputs/random_inputs.h"

namespace halo {
namespace {

v0::ArrayFigures FiguresOf(ElementType type, std::span<const int64_t> dims,
                           const ArraySummary& summary) {
  return {.type = std::string(TextOf(type)),
          .dims = {dims.begin(), dims.end()},
          .elements = summary.count,
          .nans = summary.nans,
          .infinities = summary.infinities,
          .min = summary.min,
          .max = summary.max,
          .mean = summary.mean};
}

v0::RunParameter ParameterOf(const Module& module, const RunInput& from) {
  const ElementType type = module.shapes.type(from.leaf.shape);
  const std::span<const int64_t> dims = module.shapes.dims(from.leaf.shape);
  v0::RunParameter to;
  to.name = from.name;
  to.parameter = from.leaf.parameter;
  to.parameter_name = from.parameter;
  to.type = TextOf(type);
  to.dims.assign(dims.begin(), dims.end());
  to.origin = from.source.empty() ? "random" : "file";
  to.path = from.source;
  to.gathered_from_shards = from.gathered;
  to.sliced_by_sharding = from.sliced;
  to.role = TextOf(from.use.role);
  to.range = RangeText(type, from.use);
  if (from.use.because.valid()) to.because_of = module.name_of(module.inst(from.use.because));
  if (from.arrays.empty()) return to;
  const ArraySummary summary = Summarize(from.arrays[0]);
  to.elements = summary.count;
  to.nans = summary.nans;
  to.infinities = summary.infinities;
  to.min = summary.min;
  to.max = summary.max;
  to.mean = summary.mean;
  return to;
}

v0::RunOutput OutputOf(const RunOutput& from) {
  v0::RunOutput to;
  to.name = from.name;
  to.device = from.device;
  to.figures = FiguresOf(from.array.type(), from.array.dims(), Summarize(from.array));
  to.digest = HexText(HashBytes(from.array.bytes(), from.array.byte_count()));
  if (IsSmall(from.array)) to.literal = LiteralText(from.array);
  return to;
}

v0::GatheredOutput GatheredOf(const OutputGather& from) {
  v0::GatheredOutput to;
  to.name = MakeArrayName("out", from.leaf, std::nullopt);
  to.sharding = from.sharding;
  to.problem = from.problem;
  if (from.problem.empty()) to.parts = from.parts;
  return to;
}

v0::RunTrace TraceOf(const RunResult& result, const TracedValue& from) {
  v0::RunTrace to;
  to.name = TracedName(result, from);
  to.instruction = result.module().name_of(result.module().inst(from.inst));
  to.device = from.device;
  to.execution = from.execution;
  to.figures = FiguresOf(from.type, from.dims, from.summary);
  if (from.is_kept && IsSmall(from.array)) to.literal = LiteralText(from.array);
  return to;
}

v0::OperandValue OperandOf(const OperandSummary& from) {
  return {.instruction = from.name, .figures = FiguresOf(from.type, from.dims, from.summary)};
}

v0::NonFiniteValue OriginOf(const NonFiniteOrigin& from) {
  v0::NonFiniteValue to;
  to.is = from.is_nan ? "nan" : "inf";
  to.instruction = from.location.name;
  to.opcode = from.location.opcode;
  to.device = from.device;
  to.execution = from.execution;
  to.op_name = from.location.op_name;
  to.source = from.location.source;
  to.index = from.index;
  to.path = from.location.path;
  to.result = OperandOf(from.result);
  for (const OperandSummary& each : from.operands) to.operands.push_back(OperandOf(each));
  return to;
}

v0::WorstElement WorstOf(const ElementDifference& from) {
  v0::WorstElement to;
  to.index = from.index;
  to.got = from.got;
  to.expected = from.expected;
  if (from.got_imag != 0 || from.expected_imag != 0) {
    to.got_imag = from.got_imag;
    to.expected_imag = from.expected_imag;
  }
  to.absolute = from.absolute;
  to.relative = from.relative;
  to.ulp = from.ulp;
  return to;
}

v0::ComparedOutput ComparedOf(const OutputComparison& from) {
  v0::ComparedOutput to;
  to.name = from.name;
  to.ok = from.ok();
  to.problem = from.problem;
  to.type = TextOf(from.type);
  to.dims = from.dims;
  to.expected_dims = from.expected_dims;
  to.rtol = from.tolerance.rtol;
  to.atol = from.tolerance.atol;
  to.largest_ulp = from.tolerance.largest_ulp;
  to.ulp = from.tolerance.ulp;
  to.elements = from.result.count;
  to.different = from.result.different;
  to.beyond = from.result.beyond;
  to.max_absolute = from.result.max_absolute;
  to.max_relative = from.result.max_relative;
  to.max_ulp = from.result.max_ulp;
  to.largest_expected = from.result.largest_expected;
  for (const ElementDifference& each : from.result.worst) to.worst.push_back(WorstOf(each));
  return to;
}

void FillCompiled(const CompiledRunReport& from, v0::RunResult& to) {
  to.planned_bytes = from.planned_bytes;
  to.kernel_steps = from.kernel_steps;
  to.library_steps = from.library_steps;
  to.reference_steps = from.reference_steps;
  to.collective_steps = from.collective_steps;
  to.collectives_by_messages = from.collectives_by_messages;
  to.kernels = from.kernels;
  to.kernels_compiled = from.compiled_kernels;
  to.damaged_cache_entries = from.damaged_cache_entries;
  to.prepare_seconds = from.prepare_seconds;
  to.compile_seconds = from.compile_seconds;
  to.run_seconds = from.run_seconds;
  to.references = from.references;
  to.decisions = from.decisions;
  to.plan = from.plan;
  if (from.profile.empty()) return;
  to.profile.assign(from.profile.begin(), from.profile.end());
  to.machine_copy_bytes_per_second = from.limits.copy_bytes_per_second;
  to.machine_f32_flops_per_second = from.limits.f32_flops_per_second;
}

// The cost and output of compiling; or why it was not done, if the reference engine ran instead.
void FillReport(const RunResult& from, v0::RunResult& to) {
  to.not_compiled_because = from.report.declined;
  to.not_cached_because = from.report.cache_problem;
  if (from.engine == Engine::kCompiled) FillCompiled(from.report, to);
  if (!from.report.steps) return;
  to.resumed_after_step = from.report.steps->resumed;
  to.checkpoints_written = from.report.steps->written;
  to.checkpoint_step = from.report.steps->last;
}

void FillTotals(const RunResult& from, v0::RunResult& to) {
  to.program = from.program;
  to.engine = TextOf(from.engine);
  to.verified = from.is_verified;
  to.replicas = from.replicas;
  to.partitions = from.partitions;
  to.ranks = from.ranks;
  to.longest_sum = from.longest_sum;
  to.finished = from.has_results;
  to.instructions_executed = from.steps;
  to.work = from.work;
  to.input_bytes = from.input_bytes;
  to.peak_bytes = from.peak_bytes;
  to.seconds = from.seconds;
  to.sandbox = from.sandbox;
  to.filled_constants = from.filled;
}

void FillValues(const RunResult& from, v0::RunResult& to) {
  to.parameters.emplace();
  for (const RunInput& each : from.inputs.list) {
    to.parameters->push_back(ParameterOf(from.module(), each));
  }
  to.outputs.emplace();
  for (const RunOutput& each : from.outputs) to.outputs->push_back(OutputOf(each));
  for (const OutputGather& each : from.gathers) to.gathered.push_back(GatheredOf(each));
  for (const TracedValue& each : from.traced) to.traced.push_back(TraceOf(from, each));
  if (from.looked_for_nan) to.first_non_finite.emplace();
  if (from.looked_for_nan && from.origin) *to.first_non_finite = OriginOf(*from.origin);
  if (from.expected.empty()) return;
  to.comparison.emplace();
  to.comparison->expected = from.expected;
  to.comparison->agrees = from.agrees();
  for (const OutputComparison& each : from.comparisons) {
    to.comparison->outputs.push_back(ComparedOf(each));
  }
}

}  // namespace

v0::RunResult RunDocument(const RunResult& result) {
  v0::RunResult document;
  document.inputs.push_back(InputOf(result.document));
  AppendReadingDiagnostics(result.document, document.diagnostics);
  AppendDiagnostics(result.diagnostics, result.document.path, document.diagnostics);
  FillTotals(result, document);
  FillReport(result, document);
  if (!result.document.modules.empty()) FillValues(result, document);
  return document;
}

std::string RunJson(const RunResult& result) { return describe::DocumentJson(RunDocument(result)); }

}  // namespace halo
