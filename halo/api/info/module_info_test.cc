// Tests the counting of loops, collectives, values and their bytes.
#include "halo/api/info/module_info.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "halo/analysis/graph/run_counts.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

v0::InfoModule Describe(const std::string& text, std::string path = "m.txt") {
  TextReadResult read = ReadHloText(text);
  EXPECT_TRUE(read.diagnostics.ok());
  Document document;
  document.path = std::move(path);
  document.kind = FileKind::kHloText;
  document.modules.push_back({std::move(read.module), std::move(read.diagnostics), {}, {}});
  return DescribeModule(document, document.modules[0]);
}

const v0::InfoCollective* Find(const v0::InfoModule& info, std::string_view opcode) {
  for (const v0::InfoCollective& each : info.collectives) {
    if (each.opcode == opcode) return &each;
  }
  return nullptr;
}

std::string Loops(const std::string& inner_config, const std::string& outer_config) {
  return "HloModule m, replica_count=2\n\n"
         "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, "
         "b)\n}\n\n"
         "yes {\n  p = f32[4] parameter(0)\n  ROOT t = pred[] constant(true)\n}\n\n"
         "inner {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] all-reduce(p), replica_groups={}, "
         "to_apply=sum\n}\n\n"
         "outer {\n  p = f32[4] parameter(0)\n  ROOT w = f32[4] while(p), condition=yes, "
         "body=inner" +
         inner_config +
         "\n}\n\nENTRY main {\n  p = f32[4] parameter(0)\n  r = f32[4] all-reduce(p), "
         "replica_groups={{0,1}}, "
         "to_apply=sum\n  ROOT w = f32[4] while(r), condition=yes, body=outer" +
         outer_config + "\n}\n";
}

TEST(ModuleInfo, LoopsMultiply) {
  const v0::InfoModule info =
      Describe(Loops(", backend_config={\"known_trip_count\":{\"n\":\"5\"}}",
                     ", backend_config=\"{\\\"known_trip_count\\\":{\\\"n\\\":\\\"3\\\"}}\""));
  ASSERT_EQ(info.loops.size(), 2u);
  EXPECT_EQ(info.loops[0].trip_count, 5);
  EXPECT_EQ(info.loops[0].runs, 3);
  EXPECT_EQ(info.loops[1].trip_count, 3);
  const v0::InfoCollective* all_reduce = Find(info, "all-reduce");
  ASSERT_NE(all_reduce, nullptr);
  EXPECT_EQ(all_reduce->count, 2);
  EXPECT_EQ(all_reduce->runs, 16);
  EXPECT_EQ(all_reduce->bytes, 32);
  EXPECT_EQ(all_reduce->run_bytes, 16 * 16);
  EXPECT_FALSE(all_reduce->runs_at_least);
  ASSERT_EQ(all_reduce->group_sizes.size(), 1u);
  EXPECT_EQ(all_reduce->group_sizes[0].size, 2);
}

TEST(ModuleInfo, UnknownTripCountsAreLowerBounds) {
  const v0::InfoModule info =
      Describe(Loops("", ", backend_config={\"known_trip_count\":{\"n\":\"3\"}}"));
  EXPECT_EQ(info.loops[0].trip_count, std::nullopt);
  EXPECT_EQ(Find(info, "all-reduce")->runs, 4);
  EXPECT_TRUE(Find(info, "all-reduce")->runs_at_least);
}

TEST(ModuleInfo, HugeTripCountsDoNotOverflow) {
  const std::string huge =
      ", backend_config={\"known_trip_count\":{\"n\":\"9000000000000000000\"}}";
  const v0::InfoModule info = Describe(Loops(huge, huge));
  EXPECT_EQ(Find(info, "all-reduce")->run_bytes, INT64_MAX);
}

TEST(RunCounts, ComputationsThatCallEachOtherAreNotReached) {
  const TextReadResult read = ReadHloText(
      "a {\n  p = f32[] parameter(0)\n  ROOT c = f32[] call(p), to_apply=b\n}\nb {\n  p = f32[] "
      "parameter(0)\n  "
      "ROOT c = f32[] call(p), to_apply=a\n}\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT c = "
      "f32[] call(p), "
      "to_apply=a\n}\n");
  const std::vector<RunCount> counts = CountRuns(read.module);
  EXPECT_EQ(counts[read.module.entry.index()].runs, 1);
}

TEST(ModuleInfo, OneCollectiveOverSeveralFusionsCountsOnce) {
  std::string text = "HloModule m, num_partitions=4\n\n";
  for (const char* name : {"start", "middle", "done"}) {
    text += std::string(name) +
            " {\n  p = f32[8] parameter(0)\n  ROOT g = f32[32] all-gather(p), channel_id=7, "
            "replica_groups=[1,4]<=[4], dimensions={0}, use_global_device_ids=true\n}\n\n";
  }
  text +=
      "ENTRY e {\n  p = f32[8] parameter(0)\n  a = f32[32] fusion(p), kind=kCustom, calls=start\n  "
      "b = f32[32] fusion(p), kind=kCustom, calls=middle\n  ROOT c = f32[32] fusion(p), "
      "kind=kCustom, "
      "calls=done\n}\n";
  const v0::InfoModule info = Describe(text);
  EXPECT_EQ(Find(info, "all-gather")->count, 1);
  EXPECT_EQ(Find(info, "all-gather")->async, 1);
  EXPECT_EQ(info.fused_instructions, 6);
}

TEST(ModuleInfo, ParametersAndOutputsShareMemory) {
  const v0::InfoModule info = Describe(
      "HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }, buffer_donor={ (1, {}) "
      "}\n\nENTRY e {\n"
      "  w = f32[256] parameter(0)\n  x = (f32[4], pred[]) parameter(1)\n  n = f32[256] negate(w)\n"
      "  c = f32[] constant(1)\n  ROOT t = (f32[], f32[256], (f32[])) tuple(c, n, u)\n  u = "
      "(f32[]) tuple(c)\n}\n");
  ASSERT_EQ(info.parameters.size(), 2u);
  EXPECT_TRUE(info.parameters[0].aliased);
  EXPECT_TRUE(info.parameters[1].donated);
  EXPECT_EQ(info.parameters[1].bytes, 17);
  EXPECT_EQ(info.parameter_bytes, 1041);
  ASSERT_EQ(info.outputs.size(), 3u);
  EXPECT_EQ(info.outputs[1].aliases_parameter, 0);
  EXPECT_EQ(info.outputs[1].name, "n");
  EXPECT_EQ(info.outputs[2].index, (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(info.outputs[2].name, "c");
  EXPECT_EQ(info.aliased_bytes, 1024);
  EXPECT_EQ(info.output_bytes, 1032);
}

TEST(ModuleInfo, Backends) {
  const auto guess = [](const std::string& line, std::string path = "m.txt") {
    const v0::InfoModule info = Describe(
        "ENTRY e {\n  p = f32[8,128] parameter(0)\n  ROOT r = " + line + "\n}\n", std::move(path));
    return info.backend.is + ": " + info.backend.why;
  };
  EXPECT_EQ(guess("f32[] custom-call(p), custom_call_target=\"__cudnn$convForward\""),
            "gpu: custom call __cudnn$convForward");
  EXPECT_EQ(guess("f32[] custom-call(p), custom_call_target=\"tpu_custom_call\""),
            "tpu: custom call tpu_custom_call");
  EXPECT_EQ(guess("f32[] custom-call(p), custom_call_target=\"lapack_sgetrf_ffi\""),
            "cpu: custom call lapack_sgetrf_ffi");
  EXPECT_EQ(guess("f32[8,128] negate(p), backend_config={\"operation_queue_id\":\"0\"}"),
            "gpu: backend_config with operation_queue_id");
  EXPECT_EQ(guess("f32[8,128]{1,0:T(8,128)} copy(p)"),
            "tpu: tiled layouts, as in f32[8,128]{1,0:T(8,128)}");
  EXPECT_EQ(guess("f32[8,128] negate(p)", "d/module_0001.f.sm_9.0_gpu_after_optimizations.txt"),
            "gpu: only by its file name");
  EXPECT_EQ(guess("f32[8,128] negate(p)"), "unknown: nothing in it belongs to one backend");
}

// A module of so many parameters that returns each of them in its memory.
double SecondsForAliases(int count) {
  std::string aliases, results, operands, body;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), comma = i == 0 ? "" : ", ";
    aliases += comma + "{" + n + "}: (" + n + ", {}, may-alias)";
    results += comma + "f32[]";
    operands += comma + "p" + n;
    body += "  p" + n + " = f32[] parameter(" + n + ")\n";
  }
  TextReadResult read =
      ReadHloText("HloModule m, input_output_alias={ " + aliases + " }\n\nENTRY e {\n" + body +
                  "  ROOT t = (" + results + ") tuple(" + operands + ")\n}\n");
  Document document;
  document.modules.push_back({std::move(read.module), std::move(read.diagnostics), {}, {}});
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const v0::InfoModule info = DescribeModule(document, document.modules[0]);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(info.aliased_bytes, 4 * count);
    least = std::min(least, taken.count());
  }
  return least;
}

// Eight times the aliases may take sixteen times as long; a quadratic cost would be 64 times.
TEST(ModuleInfo, TheCostOfManyAliasesIsNearLinear) {
  const double small = SecondsForAliases(2'500);
  EXPECT_LT(SecondsForAliases(20'000), 16 * small + 0.05);
}

}  // namespace
}  // namespace halo
