// Runs a module twice, evaluated and compiled, and compares the results: integers, data movement
// and every correctly rounded op bit for bit, sums and transcendental functions within the
// tolerance of `halo run --compare`. Used by a bench, which counts, and by a fuzz target.
#ifndef HALO_CODEGEN_TEST_DIFFERENTIAL_H_
#define HALO_CODEGEN_TEST_DIFFERENTIAL_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halo/analysis/inputs/sum_length.h"
#include "halo/base/containers/aligned_block.h"
#include "halo/codegen/compile.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/inputs/compare_values.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/eval/inputs/summary.h"
#include "halo/eval/test/mutate_module.h"
#include "halo/eval/test/random_module.h"
#include "halo/ir/attributes/window.h"
#include "halo/passes/pipeline.h"
#include "halo/runtime/execute.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"

namespace halo::differential {

struct Counts {
  int64_t made = 0, mutated = 0, verified = 0, evaluated = 0, compiled = 0, agreed = 0;
  int64_t optimized = 0;  // of those compiled
  int64_t kernels = 0, libraries = 0, references = 0;
  int64_t whole_loops = 0;                 // loops whose iterations are one call
  std::map<std::string, int64_t> reasons;  // of evaluated steps: opcode and why
};

// Ends the evaluation where the padding of a convolution meets a NaN or an infinity in the kernel.
// Whether their product with padding counts is implementation-defined: XLA's CPU library multiplies
// by zeros and gives NaN, its evaluator skips padding, and oneDNN does either.
class PaddingObserver : public EvalObserver {
 public:
  explicit PaddingObserver(const Module& module) : module_(module) {}

  bool OnValue(int64_t /*device*/, InstId id, std::span<const Value> operands,
               const Value& /*value*/) override {
    const Inst& inst = module_.inst(id);
    if (inst.opcode != Opcode::kConvolution) return true;
    const Window window = DecodeWindow(module_.IntsOf(inst.attrs, AttrKey::k_window));
    const bool has_padding = std::ranges::any_of(window.dims, [](const WindowDim& dim) {
      return dim.pad_low > 0 || dim.pad_high > 0 || dim.lhs_dilate > 1;
    });
    if (!has_padding) return true;
    const NonFinite kernel = FindNonFinite(operands[1].array());
    return !kernel.nan && !kernel.infinite;
  }

 private:
  const Module& module_;
};

// Numbers of moderate size; floats occasionally include a NaN, an infinity, a zero or a tiny value.
inline std::vector<Value> MakeArguments(const Module& module, uint64_t seed,
                                        random_module::Choices& choices) {
  const Computation& entry = module.comp(module.entry);
  // Most of these would not be compared; see PaddingObserver.
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
inline std::string Differences(const Value& got, const Value& expected, int64_t longest_sum) {
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

inline void CountSteps(const CompiledModule& ready, Counts& counts) {
  for (const Block& block : ready.plan.blocks) {
    for (const Step& step : block.steps) {
      counts.kernels += step.kind == Step::Kind::kKernel;
      counts.libraries += step.kind == Step::Kind::kLibrary;
      counts.whole_loops += step.is_whole;
      if (step.kind != Step::Kind::kReference) continue;
      ++counts.references;
      const Module& module = ready.module();
      ++counts.reasons[std::string(module.opcode_text(module.inst(step.inst))) + ": " + step.why];
    }
  }
}

// The same values in memory allocated now.
inline std::vector<Value> Copied(std::span<const Value> values) {
  std::vector<Value> copies;
  for (const Value& value : values) {
    Array copy(value.array().type(), value.array().dims());
    std::copy_n(value.array().bytes(), value.array().byte_count(), copy.MutableBytes());
    copies.emplace_back(std::move(copy));
  }
  return copies;
}

// Runs the compiled module, once for each of `guards`. Returns what is wrong; empty if nothing is.
inline std::string RunCompiled(const Module& module, std::span<const Value> arguments,
                               const EvalOptions& options, const Value& expected,
                               std::span<const GuardPages> guards, const CompileOptions& compiling,
                               Counts& counts) {
  Result<std::unique_ptr<CompiledModule>> compiled = CompileModule(module, compiling);
  if (!compiled.ok()) return "not compiled: " + compiled.error().message;
  const CompiledModule& ready = **compiled;
  ++counts.compiled;
  CountSteps(ready, counts);
  const int64_t longest_sum = LongestSum(module);
  std::string problem;
  for (const GuardPages guard : guards) {
    SetGuardPages(guard);
    const std::vector<Value> given = Copied(arguments);
    Execution execution(ready.module(), ready.plan, options);
    if (std::optional<Diagnostic> failed = execution.Bind(given)) {
      problem = failed->message;
    } else if (std::optional<Diagnostic> stopped = execution.Run()) {
      problem = "did not run: " + stopped->message;
    } else {
      problem = Differences(execution.Result(), expected, longest_sum);
    }
    SetGuardPages(GuardPages::kNone);
    if (!problem.empty()) break;
  }
  return problem;
}

inline bool HasWholeLoops(const Executable& plan) {
  return std::ranges::any_of(plan.blocks, [](const Block& block) {
    return std::ranges::any_of(block.steps, [](const Step& step) { return step.is_whole; });
  });
}

// Whether loops that are one function compute the same bits as their steps one by one. Returns what
// is wrong; empty if nothing is, or if there are none.
inline std::string RunBySteps(const Module& module, std::span<const Value> arguments,
                              const EvalOptions& options, CompileOptions compiling) {
  const auto run = [&](bool joins, std::optional<Value>& result) -> std::string {
    compiling.joins_loops = joins;
    Result<std::unique_ptr<CompiledModule>> compiled = CompileModule(module, compiling);
    if (!compiled.ok()) return "not compiled: " + compiled.error().message;
    if (joins && !HasWholeLoops((*compiled)->plan)) return {};
    Execution execution((*compiled)->module(), (*compiled)->plan, options);
    std::optional<Diagnostic> failed = execution.Bind(arguments);
    if (!failed) failed = execution.Run();
    if (failed) return "did not run: " + failed->message;
    result = execution.Result();
    return {};
  };
  std::optional<Value> whole;
  std::optional<Value> steps;
  std::string problem = run(true, whole);
  if (!problem.empty() || !whole) return problem;
  problem = run(false, steps);
  if (!problem.empty()) return problem;
  std::vector<const Array*> expected;
  ForEachArray(*steps, [&](const Array& array) { expected.push_back(&array); });
  size_t i = 0;
  ForEachArray(*whole, [&](const Array& array) {
    if (!CompareArrays(array, *expected[i], Tolerance{}, 1).ok()) {
      problem = "result " + std::to_string(i) + " of a whole loop is not that of its steps";
    }
    ++i;
  });
  return problem;
}

struct Plan {
  random_module::RandomModuleOptions kind;
  bool mutates = false;       // half of the modules
  uint64_t optimized_of = 1;  // one of so many seeds is compiled with LLVM's optimizations
  int jit_threads = 0;        // 0: one per core
  std::vector<GuardPages> guards = {GuardPages::kNone};
};

inline bool IsLegal(const std::string& text, Module* module) {
  TextReadResult read = ReadHloText(text);
  if (!read.diagnostics.ok() || !Verify(read.module, {.warnings = false}).ok()) return false;
  *module = std::move(read.module);
  return true;
}

// Makes a module from the choices, runs it both ways and returns what is wrong; empty if nothing
// is, or if the module is not legal, too expensive to evaluate, or not fully defined. `text` is set
// to the module.
inline std::string RunOne(random_module::Choices& choices, uint64_t seed, const Plan& plan,
                          std::string* text, Counts& counts) {
  *text = random_module::ModuleMaker(choices, plan.kind).Make();
  ++counts.made;
  Module module;
  bool is_legal = false;
  if (plan.mutates && choices.Chance(2)) {
    // Most changes are not legal; try a few.
    constexpr int kTries = 6;
    for (int i = 0; i < kTries && !is_legal; ++i) {
      std::string changed = random_module::ModuleMutator(choices, *text).Mutated();
      is_legal = changed != *text && IsLegal(changed, &module);
      if (is_legal) *text = std::move(changed);
    }
    counts.mutated += is_legal;
  }
  if (!is_legal && !IsLegal(*text, &module)) return {};
  ++counts.verified;
  EvalOptions options;
  options.max_steps = 2000;
  options.max_work = 20'000'000;
  options.max_bytes = int64_t{64} << 20;
  options.threads = false;
  if (!WhyNotForHost(module).empty()) return {};  // the engine leaves it to the evaluator
  const std::vector<Value> arguments = MakeArguments(module, seed, choices);
  PaddingObserver padding(module);
  options.observer = &padding;
  const Result<EvalOutput> expected = Evaluate(module, {arguments}, options);
  options.observer = nullptr;
  if (!expected.ok() || expected->results.empty()) return {};
  ++counts.evaluated;
  CompileOptions compiling;
  // Also tests how kernels are split that are too large.
  if (plan.mutates && choices.Chance(4)) compiling.max_kernel_values = 4 + choices.Below(60);
  // Which memory a kernel accesses is decided before LLVM's passes, which take most of the time.
  compiling.jit.optimizes = seed % plan.optimized_of == 0;
  compiling.jit.threads = plan.jit_threads;
  counts.optimized += compiling.jit.optimizes;
  std::string problem =
      RunCompiled(module, arguments, options, expected->results[0], plan.guards, compiling, counts);
  if (problem.empty()) problem = RunBySteps(module, arguments, options, compiling);
  counts.agreed += problem.empty();
  return problem;
}

}  // namespace halo::differential

#endif  // HALO_CODEGEN_TEST_DIFFERENTIAL_H_
