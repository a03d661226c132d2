// Formats the result of a run as text.
#include "tools/halo/render/run_text.h"

#include <cmath>

#include "halo/api/observe/run_text_parts.h"
#include "halo/base/strings/human_size.h"
#include "halo/eval/inputs/random_inputs.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr size_t kOutputNameWidth = 40;

std::string SummaryText(const ArraySummary& summary) {
  if (summary.count == 0) return "empty";
  std::string text;
  if (summary.finite() > 0) {
    text = Phrase("min {:.6g}, max {:.6g}, mean {:.6g}", summary.min, summary.max, summary.mean);
  }
  for (const auto& [count, what] :
       {std::pair(summary.nans, "NaN"), std::pair(summary.infinities, "infinite")}) {
    if (count == 0) continue;
    text += Phrase("{}{} of {} {}", text.empty() ? "" : ", ", count, summary.count, what);
  }
  return text;
}

std::string ValueText(const Array& array) {
  return Phrase("{} {}", ShapeText(array.type(), array.dims()),
                IsSmall(array) ? LiteralText(array) : SummaryText(Summarize(array)));
}

std::string NumberText(ElementType type, double real, double imag) {
  const int digits = type == ElementType::kF64 || type == ElementType::kC128 ? 17 : 9;
  if (InfoOf(type).klass != ElementClass::kComplex) return Phrase("{:.{}g}", real, digits);
  return Phrase("({:.{}g}, {:.{}g})", real, digits, imag, digits);
}

std::string UlpText(int64_t ulp) { return ulp == INT64_MAX ? "-" : GroupedDigits(ulp); }

std::string ToleranceText(const Tolerance& tolerance) {
  std::string text;
  const auto add = [&text](std::string part) {
    text += Phrase("{} {}", text.empty() ? "to" : " or", std::move(part));
  };
  if (tolerance.rtol > 0) add(Phrase("{:g} relative", tolerance.rtol));
  if (tolerance.atol > 0) add(Phrase("{:g} absolute", tolerance.atol));
  if (tolerance.ulp > 0) add(Phrase("{} ulp", GroupedDigits(tolerance.ulp)));
  if (tolerance.largest_ulp > 0) add(Phrase("{:.3g} ulp of the largest", tolerance.largest_ulp));
  return text.empty() ? "exactly" : text;
}

void WorstText(const OutputComparison& each, size_t width, std::string& out) {
  TextTable table("lrrrrr");
  table.Add({"index", "got", "expected", "absolute", "relative", "ulp"});
  for (const ElementDifference& element : each.result.worst) {
    table.Add({IndexText(element.index), NumberText(each.type, element.got, element.got_imag),
               NumberText(each.type, element.expected, element.expected_imag),
               Phrase("{:.3g}", element.absolute), Phrase("{:.3g}", element.relative),
               UlpText(element.ulp)});
  }
  out += table.Text(6, width);
}

void OperandText(const OperandSummary& operand, std::string& out) {
  out += Phrase("    %{} {}: {}\n", operand.name, ShapeText(operand.type, operand.dims),
                SummaryText(operand.summary));
}

}  // namespace

std::string IndexText(std::span<const int64_t> index) {
  std::string text = "[";
  for (size_t i = 0; i < index.size(); ++i) text += Phrase("{}{}", i > 0 ? "," : "", index[i]);
  return text + "]";
}

std::string InputsText(const RunResult& result, size_t width) {
  TextTable table("lsnt");
  for (const RunInput& input : result.inputs.list) {
    const ElementType type = result.module().shapes.type(input.leaf.shape);
    std::string from = input.source;
    if (input.gathered) from += ", gathered from its shards";
    if (input.sliced) from += ", sliced by its sharding";
    if (from.empty()) {
      from = Phrase("random: {}, {}", TextOf(input.use.role), RangeText(type, input.use));
      if (input.use.because.valid()) {
        from +=
            Phrase(", for %{}", result.module().name_of(result.module().inst(input.use.because)));
      }
    }
    table.Add({input.name, result.module().shapes.Text(input.leaf.shape, false),
               "%" + (width != 0 ? input.parameter : Shortened(input.parameter, kOutputNameWidth)),
               from});
  }
  return table.Text(0, width);
}

std::string OutputsText(const RunResult& result) {
  std::string out;
  for (const RunOutput& output : result.outputs) {
    out += Phrase("{} = {}\n", output.name, ValueText(output.array));
  }
  return out;
}

std::string TracedText(const RunResult& result) {
  std::string out;
  for (const TracedValue& value : result.traced) {
    const std::string what = value.is_kept
                                 ? ValueText(value.array)
                                 : Phrase("{} {} (not kept)", ShapeText(value.type, value.dims),
                                          SummaryText(value.summary));
    out += Phrase("%{} = {}\n", TracedName(result, value), what);
  }
  return out;
}

std::string ComparisonText(const RunResult& result, bool color, size_t width) {
  std::string out;
  size_t agreeing = 0;
  for (const OutputComparison& each : result.comparisons) {
    agreeing += each.ok() ? 1 : 0;
    const std::string_view verdict = each.ok() ? "agrees" : "DIFFERS";
    out += Phrase("{}: ", each.name);
    out += Painted(verdict, each.ok() ? Paint::kGood : Paint::kBad, color);
    if (!each.problem.empty()) {
      out += Phrase(": {}\n", each.problem);
      if (!each.expected_dims.empty() && !each.result.comparable) {
        out += Phrase("      got {}, expected {}\n", ShapeText(each.type, each.dims),
                      ShapeText(each.type, each.expected_dims));
      }
      continue;
    }
    const ArrayComparison& compared = each.result;
    out += Phrase(" {}: {} of {} elements differ", ToleranceText(each.tolerance),
                  GroupedDigits(compared.different), GroupedDigits(compared.count));
    if (compared.different > 0) {
      out += Phrase(", {} beyond; at most {:.3g} absolute, {:.3g} relative, {} ulp",
                    GroupedDigits(compared.beyond), compared.max_absolute, compared.max_relative,
                    UlpText(compared.max_ulp));
    }
    out += '\n';
    if (!each.ok()) WorstText(each, width, out);
  }
  out += Phrase("{} of {} outputs agree with {}\n", agreeing, result.comparisons.size(),
                result.expected);
  return out;
}

std::string OriginText(const RunResult& result) {
  if (!result.origin) {
    return "none found: no instruction produced a NaN or an infinity from finite numbers\n";
  }
  const NonFiniteOrigin& origin = *result.origin;
  const InstructionLocation& location = origin.location;
  std::string out = Phrase("the first {} is produced by {} %{}", origin.is_nan ? "NaN" : "infinity",
                           location.opcode, location.name);
  if (origin.execution > 0) out += Phrase(", in execution {}", origin.execution + 1);
  if (result.devices() > 1) out += Phrase(", on device {}", origin.device);
  out += Phrase("\n  at {} of ", IndexText(origin.index));
  out += Phrase("{}: {}\n", ShapeText(origin.result.type, origin.result.dims),
                SummaryText(origin.result.summary));
  out += origin.operands.empty() ? "  without operands\n" : "  from\n";
  for (const OperandSummary& operand : origin.operands) OperandText(operand, out);
  out += "  in\n";
  for (const std::string& step : location.path) out += Phrase("    {}\n", step);
  if (!location.op_name.empty()) out += Phrase("  op_name {}\n", location.op_name);
  if (!location.source.empty()) out += Phrase("  source {}\n", location.source);
  return out;
}

std::string CompilationText(const RunResult& result, size_t width) {
  const CompiledRunReport& report = result.report;
  std::string out;
  for (const std::string& decision : report.decisions) out += Phrase("{}\n", decision);
  out += report.plan;
  if (report.profile.empty()) return out;
  double all = 0;
  for (const ProfileRow& row : report.profile) all += row.seconds;
  TextTable table("rrrrrt");
  table.Add({"ms", "%", "visits", "GB/s", "GF/s", "step"});
  for (const ProfileRow& row : report.profile) {
    table.Add({Phrase("{:.3f}", row.seconds * 1e3), Phrase("{:.1f}", 100 * row.seconds / all),
               std::to_string(row.visits),
               Phrase("{:.1f}", static_cast<double>(row.bytes) / row.seconds / 1e9),
               Phrase("{:.1f}", row.flops / row.seconds / 1e9),
               Phrase("{} %{} {}{}", row.kind, row.instruction, row.opcode,
                      row.scope.empty() ? "" : " " + row.scope.substr(0, row.scope.find('\n')))});
  }
  out += table.Text(2, width);
  out += Phrase(
      "{:.3f} ms in all; this machine copies {:.1f} GB/s and multiplies {:.0f} GF/s in f32\n",
      all * 1e3, report.limits.copy_bytes_per_second / 1e9,
      report.limits.f32_flops_per_second / 1e9);
  if (report.run_seconds.size() == 1) {
    out +=
        "the first run includes what libraries do once, such as choosing kernels and starting "
        "threads; --repeat 5 leaves the first run out\n";
  }
  return out;
}

std::string GathersText(const RunResult& result) {
  std::string out;
  bool unknown = false;
  for (const OutputGather& gather : result.gathers) {
    if (gather.problem.empty()) continue;
    unknown |= gather.sharding.empty();
    out += Phrase("out_{} is not gathered: {}\n", gather.leaf, gather.problem);
  }
  if (unknown) {
    out +=
        "the module before partitioning, or the .hlo.pb of the partitioned module, contains the "
        "shardings of the results: --join-by FILE\n";
  }
  return out;
}

std::string StatisticsText(const RunResult& result) {
  std::string out =
      Phrase("{}: {} device{}{}, {} instructions{} in {:.2f} s, {} at most\n", result.program,
             result.devices(), result.devices() == 1 ? "" : "s",
             result.ranks > 1 ? " as processes" : "", GroupedDigits(result.steps),
             result.ranks > 1 ? " each" : "", result.seconds, HumanBytes(result.peak_bytes));
  const CompiledRunReport& report = result.report;
  if (!report.declined.empty()) {
    out += Phrase("evaluated, not compiled: {}\n", report.declined);
  }
  if (result.engine == Engine::kCompiled) {
    out +=
        Phrase("compiled in {:.2f} s: {} kernels ({} new), {} library calls{}\n",
               report.prepare_seconds + report.compile_seconds, report.kernels,
               report.compiled_kernels, report.library_steps,
               report.reference_steps == 0
                   ? ""
                   : Phrase("; evaluated: {} ({}{})", report.reference_steps,
                            report.references.front(), report.reference_steps > 1 ? ", ..." : ""));
  }
  if (report.steps && report.steps->resumed > 0) {
    out += Phrase("continued after step {}\n", report.steps->resumed);
  }
  if (report.steps && report.steps->written > 0) {
    out += Phrase("checkpoints written: {}, the last after step {}\n", report.steps->written,
                  report.steps->last);
  }
  if (!report.cache_problem.empty()) {
    out += Phrase("compiled code was not cached: {}\n", report.cache_problem);
  }
  if (!result.filled.empty()) {
    out +=
        Phrase("{} constants that the dump elides as {{...}} were filled\n", result.filled.size());
  }
  if (!result.is_verified) out += "the module was not verified before the run\n";
  if (result.sandbox) out += SandboxText(*result.sandbox) + "\n";
  return out;
}

}  // namespace halo::tool
