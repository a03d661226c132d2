// Runs loops as one function and step by step, and expects the same bits, counts and limits.
#include "halo/codegen/whole_loop.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/compile.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/inputs/compare_values.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/runtime/execute.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

std::unique_ptr<CompiledModule> Compiled(const std::string& text, bool joins) {
  const TextReadResult read = ReadHloText(text);
  EXPECT_TRUE(read.diagnostics.ok());
  CompileOptions options;
  options.joins_loops = joins;
  Result<std::unique_ptr<CompiledModule>> compiled = CompileModule(read.module, options);
  EXPECT_TRUE(compiled.ok()) << compiled.error().message;
  return std::move(*compiled);
}

int WholeLoops(const CompiledModule& compiled) {
  int count = 0;
  for (const Block& block : compiled.plan.blocks) {
    for (const Step& step : block.steps) count += step.is_whole ? 1 : 0;
  }
  return count;
}

std::vector<Value> Points(const Module& module) {
  std::vector<Value> arguments;
  const Computation& entry = module.comp(module.entry);
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module.inst(InstId(entry.first + i));
    if (inst.opcode != Opcode::kParameter) continue;
    arguments.emplace_back(MakeRandomInput(module.shapes.type(inst.shape),
                                           module.shapes.dims(inst.shape),
                                           {.seed = 7, .parameter = inst.extra, .use = {}}));
  }
  return arguments;
}

// A loop of `count` iterations over a counter and two arrays that change places.
std::string LoopText(const std::string& shape, const std::string& count, const std::string& body) {
  const std::string state = "(s32[], " + shape + ", " + shape + ")";
  const std::string parts =
      "  s = " + state + " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n";
  return "HloModule m\ncond {\n" + parts + "  n = s32[] constant(" + count +
         ")\n  ROOT c = pred[] compare(i, n), direction=LT\n}\nadd {\n  a = f32[] parameter(0)\n" +
         "  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\nbody {\n" + parts +
         "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  x = " + shape +
         " get-tuple-element(s), index=1\n  y = " + shape + " get-tuple-element(s), index=2\n" +
         body + "  ROOT t = " + state + " tuple(j, y, z)\n}\nENTRY e {\n  a = " + shape +
         " parameter(0)\n  b = " + shape +
         " parameter(1)\n  zero = s32[] constant(0)\n  t = " + state +
         " tuple(zero, a, b)\n  ROOT w = " + state + " while(t), condition=cond, body=body\n}\n";
}

const std::string kSwap = "  z = f32[3] add(x, y)\n";

struct Ran {
  std::vector<Array> results;
  int64_t steps = 0;
};

Ran RunOnce(const CompiledModule& compiled) {
  const EvalOptions options;
  Execution execution(compiled.module(), compiled.plan, options);
  const std::vector<Value> arguments = Points(compiled.module());
  EXPECT_FALSE(execution.Bind(arguments));
  EXPECT_FALSE(execution.Run());
  Ran ran;
  ForEachArray(execution.Result(), [&](const Array& array) { ran.results.push_back(array); });
  ran.steps = execution.steps();
  return ran;
}

void ExpectSameAsSteps(const std::string& text) {
  SCOPED_TRACE(text);
  const auto whole = Compiled(text, true);
  const auto steps = Compiled(text, false);
  EXPECT_EQ(WholeLoops(*whole), 1);
  EXPECT_EQ(WholeLoops(*steps), 0);
  const Ran by_whole = RunOnce(*whole);
  const Ran by_steps = RunOnce(*steps);
  ASSERT_EQ(by_whole.results.size(), by_steps.results.size());
  for (size_t i = 0; i < by_whole.results.size(); ++i) {
    EXPECT_TRUE(CompareArrays(by_whole.results[i], by_steps.results[i], Tolerance{}).ok())
        << "result " << i;
  }
  EXPECT_EQ(by_whole.steps, by_steps.steps);
}

TEST(WholeLoopTest, ComputesTheSameBits) {
  ExpectSameAsSteps(LoopText("f32[3]", "100", kSwap));
  // A rotation of the axes, whose elements are computed by different branches.
  ExpectSameAsSteps(
      LoopText("f32[3]", "1000",
               "  p = f32[1] slice(x), slice={[0:1]}\n  q = f32[1] slice(y), slice={[1:2]}\n"
               "  r = f32[1] slice(x), slice={[2:3]}\n  pq = f32[1] multiply(p, q)\n"
               "  qr = f32[1] subtract(q, r)\n  sin = f32[1] sine(pq)\n"
               "  z = f32[3] concatenate(sin, qr, p), dimensions={0}\n"));
  // Sums over few and over many elements.
  for (const char* size : {"2", "4", "17", "100"}) {
    const std::string n = size;
    ExpectSameAsSteps(LoopText("f32[" + n + "]", "50",
                               "  k = f32[] constant(0)\n  m = f32[" + n +
                                   "] multiply(x, y)\n  u = f32[] reduce(m, k), dimensions={0}, "
                                   "to_apply=add\n  f = f32[] tanh(u)\n  g = f32[" +
                                   n + "] broadcast(f), dimensions={}\n  z = f32[" + n +
                                   "] add(g, x)\n"));
  }
  // One element of an array in place.
  ExpectSameAsSteps(LoopText("f32[64]", "64",
                             "  e = f32[1] dynamic-slice(y, i), dynamic_slice_sizes={1}\n"
                             "  h = f32[1] cosine(e)\n"
                             "  z = f32[64] dynamic-update-slice(x, h, i)\n"));
}

TEST(WholeLoopTest, LoopsThatNeverBegin) { ExpectSameAsSteps(LoopText("f32[3]", "0", kSwap)); }

TEST(WholeLoopTest, LargeKernelsAreSharedByThreads) {
  const auto compiled =
      Compiled(LoopText("f32[4000000]", "3", "  z = f32[4000000] add(x, y)\n"), true);
  EXPECT_EQ(WholeLoops(*compiled), 0);
}

TEST(WholeLoopTest, EndlessLoopsAreLimited) {
  // The counter wraps around.
  const std::string text = LoopText("f32[3]", "2147483647", "  z = f32[3] add(x, y)\n");
  const auto compiled = Compiled(text, true);
  ASSERT_EQ(WholeLoops(*compiled), 1);
  const std::vector<Value> arguments = Points(compiled->module());
  EvalOptions options;
  options.max_steps = 100'000;
  Execution execution(compiled->module(), compiled->plan, options);
  ASSERT_FALSE(execution.Bind(arguments));
  const std::optional<Diagnostic> failed = execution.Run();
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->code, diag::kStepLimit);
  EXPECT_LT(execution.steps(), options.max_steps + 20);
}

TEST(WholeLoopTest, StopsSoon) {
  const auto compiled = Compiled(LoopText("f32[3]", "2147483647", "  z = f32[3] tanh(x)\n"), true);
  ASSERT_EQ(WholeLoops(*compiled), 1);
  const std::vector<Value> arguments = Points(compiled->module());
  EvalProgress progress;
  EvalOptions options;
  options.progress = &progress;
  Execution execution(compiled->module(), compiled->plan, options);
  ASSERT_FALSE(execution.Bind(arguments));
  std::atomic<bool> is_over = false;
  std::thread run([&] {
    EXPECT_FALSE(execution.Run());
    is_over = true;
  });
  // Once the calls have become long.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(is_over);
  const auto begin = std::chrono::steady_clock::now();
  progress.stop = true;
  run.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_TRUE(execution.stopped());
  EXPECT_GT(progress.steps, 1000);
}

}  // namespace
}  // namespace halo
