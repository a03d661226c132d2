// Runs generated modules twice, evaluated and compiled. The results must agree: integers, data
// movement and every correctly rounded op bit for bit, sums and transcendental functions within the
// tolerance of `halo run --compare`.
//   run_property FIRST_SEED COUNT [show]
// Prints each module that disagrees, why steps were evaluated rather than compiled, and counts on
// the last line. `show` prints every module.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "halo/analysis/inputs/sum_length.h"
#include "halo/codegen/compile.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/inputs/compare_values.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/eval/test/random_module.h"
#include "halo/runtime/execute.h"
#include "halo/runtime/thread_team.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

struct Counts {
  int64_t made = 0, verified = 0, evaluated = 0, compiled = 0, agreed = 0;
  int64_t kernels = 0, libraries = 0, references = 0;
  std::map<std::string, int64_t> reasons;  // of evaluated steps: opcode and why
};

// Numbers of moderate size; floats occasionally include a NaN, an infinity, a zero or a tiny value.
std::vector<Value> Arguments(const Module& module, uint64_t seed, random_module::Choices& choices) {
  const Computation& entry = module.comp(module.entry);
  // Whether padding is multiplied by a kernel's infinity is implementation-defined.
  const bool has_convolution = std::ranges::any_of(
      module.insts, [](const Inst& inst) { return inst.opcode == Opcode::kConvolution; });
  std::vector<Value> arguments;
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module.inst(InstId(entry.first + i));
    if (inst.opcode != Opcode::kParameter) continue;
    if (arguments.size() <= inst.extra) arguments.resize(inst.extra + 1);
    const ElementType type = module.shapes.type(inst.shape);
    Array array = MakeRandomInput(type, module.shapes.dims(inst.shape),
                                  {.seed = seed, .parameter = inst.extra, .use = {}});
    if (type == ElementType::kF32 && !has_convolution) {
      static constexpr uint32_t kSpecial[] = {0x7F800000, 0xFF800000, 0x7FC00000,
                                              0x80000000, 0x00000001, 0};
      for (uint32_t& bits : array.Mutable<uint32_t>()) {
        if (choices.Chance(40)) bits = choices.Pick(kSpecial);
      }
    }
    arguments[inst.extra] = std::move(array);
  }
  return arguments;
}

// Describes how two results differ; empty if they agree.
std::string Differences(const Value& got, const Value& expected, int64_t longest_sum) {
  std::vector<const Array*> left;
  std::vector<const Array*> right;
  ForEachArray(got, [&](const Array& array) { left.push_back(&array); });
  ForEachArray(expected, [&](const Array& array) { right.push_back(&array); });
  if (left.size() != right.size()) return "another number of results";
  for (size_t i = 0; i < left.size(); ++i) {
    const Tolerance tolerance = DefaultTolerance(right[i]->type(), longest_sum);
    const ArrayComparison found = CompareArrays(*left[i], *right[i], tolerance, 1);
    if (found.ok()) continue;
    std::string text = "result " + std::to_string(i) + ": " + std::to_string(found.beyond) +
                       " of " + std::to_string(found.count) + " beyond tolerance";
    if (!found.worst.empty()) {
      text += ", worst " + std::to_string(found.worst[0].got) + " for " +
              std::to_string(found.worst[0].expected);
    }
    return text;
  }
  return {};
}

std::string RunCompiled(const Module& module, const std::vector<Value>& arguments,
                        const EvalOptions& options, const Value& expected, Counts& counts) {
  Result<std::unique_ptr<CompiledModule>> compiled = CompileModule(module, {});
  if (!compiled.ok()) return "not compiled: " + compiled.error().message;
  const CompiledModule& ready = **compiled;
  ++counts.compiled;
  for (const Block& block : ready.plan.blocks) {
    for (const Step& step : block.steps) {
      counts.kernels += step.kind == Step::Kind::kKernel;
      counts.libraries += step.kind == Step::Kind::kLibrary;
      if (step.kind != Step::Kind::kReference) continue;
      ++counts.references;
      const Module& runnable = ready.module();
      ++counts
            .reasons[std::string(runnable.opcode_text(runnable.inst(step.inst))) + ": " + step.why];
    }
  }
  Execution execution(ready.module(), ready.plan, options);
  if (std::optional<Diagnostic> failed = execution.Bind(arguments)) return failed->message;
  if (std::optional<Diagnostic> failed = execution.Run()) return "did not run: " + failed->message;
  return Differences(execution.Result(), expected, LongestSum(module));
}

// Returns false if the two disagree.
bool RunOne(uint64_t seed, bool show, Counts& counts) {
  uint8_t bytes[sizeof seed];
  std::memcpy(bytes, &seed, sizeof seed);
  random_module::Choices choices(bytes, sizeof bytes);
  // The first bytes are the seed itself; the rest comes from its generator.
  for (size_t i = 0; i < sizeof bytes; ++i) choices.Next();
  random_module::RandomModuleOptions kind;
  kind.max_dim = choices.Chance(4) ? 40 : 5;
  kind.max_ops = 16;
  kind.max_replicas = 1;
  kind.max_results = 8;
  kind.makes_mistakes = false;
  kind.is_comparable = true;
  const std::string text = random_module::ModuleMaker(choices, kind).Make();
  if (show) std::printf("seed %llu\n%s", static_cast<unsigned long long>(seed), text.c_str());
  ++counts.made;
  const TextReadResult read = ReadHloText(text);
  if (!read.diagnostics.ok() || !Verify(read.module, {.warnings = false}).ok()) return true;
  ++counts.verified;
  EvalOptions options;
  options.max_steps = 2000;
  options.max_work = 20'000'000;
  options.max_bytes = int64_t{64} << 20;
  options.threads = false;
  const std::vector<Value> arguments = Arguments(read.module, seed, choices);
  const Result<EvalOutput> expected = Evaluate(read.module, {arguments}, options);
  if (!expected.ok() || expected->results.empty()) return true;
  ++counts.evaluated;
  const std::string problem =
      RunCompiled(read.module, arguments, options, expected->results[0], counts);
  if (problem.empty()) {
    ++counts.agreed;
    return true;
  }
  std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), problem.c_str(),
              text.c_str());
  return false;
}

}  // namespace
}  // namespace halo

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const uint64_t count = std::strtoull(argv[2], nullptr, 10);
  const bool show = argc > 3;
  halo::SetTeamSize(1);
  halo::Counts counts;
  uint64_t wrong = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (!halo::RunOne(seed, show, counts)) ++wrong;
    std::fflush(stdout);
  }
  for (const auto& [reason, times] : counts.reasons) {
    std::printf("evaluated %lld times: %s\n", static_cast<long long>(times), reason.c_str());
  }
  std::printf(
      "made %lld, verified %lld, evaluated %lld, compiled %lld, agreed %lld, wrong %llu; steps: "
      "%lld kernels, %lld libraries, %lld evaluated\n",
      static_cast<long long>(counts.made), static_cast<long long>(counts.verified),
      static_cast<long long>(counts.evaluated), static_cast<long long>(counts.compiled),
      static_cast<long long>(counts.agreed), static_cast<unsigned long long>(wrong),
      static_cast<long long>(counts.kernels), static_cast<long long>(counts.libraries),
      static_cast<long long>(counts.references));
  return wrong == 0 ? 0 : 1;
}
