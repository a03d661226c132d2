// Facts of a program's memory do not depend on what else is asked, also where the dump lacks the
// file with uses or the one with live ranges.
#include "halo/api/memory/memory.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/api/memory/memory_inputs.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

// Everything that is printed of a moment, one value per line.
std::string FactsOf(const MemoryResult& result) {
  const MemoryExplanation& all = result.explanation;
  std::string text = std::to_string(all.total_bytes) + " " + std::to_string(all.device_bytes) +
                     " peak " + std::to_string(all.peak_bytes) + " at " +
                     std::to_string(all.peak_time) + " " + all.peak_instruction + "\n";
  for (const LiveEntry& each : all.entries) {
    text += each.name + " " + std::to_string(each.bytes) + " " + std::to_string(each.from) + "-" +
            std::to_string(each.to) + " " + each.kind + " " + each.role + " needed by " +
            each.needed_by + " at " + std::to_string(each.needed_at) + " through " + each.through +
            "\n";
  }
  return text;
}

size_t NeededValues(const MemoryResult& result) {
  size_t count = 0;
  for (const LiveEntry& each : result.explanation.entries) count += each.needed_by.empty() ? 0 : 1;
  return count;
}

using Lose = std::function<void(Assignment& assignment)>;

// The example dumps contain allocations and live ranges, but no uses.
MemoryInputs ExampleInputs(const std::string& stem, const Lose& lose) {
  MemoryInputs inputs =
      OpenMemoryInputs({std::string(HALO_SOURCE_DIR) + "/examples/" + stem + ".txt"}, {});
  if (inputs.assignment) lose(*inputs.assignment);
  return inputs;
}

void ExpectSameFacts(const std::string& stem, const Lose& lose) {
  MemoryRequest plain;
  plain.advice = AdviceDepth::kNone;
  const MemoryResult base = AnalyzeMemory(plain, ExampleInputs(stem, lose));
  ASSERT_TRUE(base.succeeded);
  EXPECT_FALSE(base.is_planned);
  EXPECT_GT(NeededValues(base), 0U) << stem;
  std::vector<MemoryRequest> others(5);
  others[1].advice = AdviceDepth::kThorough;
  others[2].check = true;
  others[3].role_profile = true;
  others[3].advice = AdviceDepth::kNone;
  others[4].capacity = 1000;
  for (const MemoryRequest& request : others) {
    const MemoryResult result = AnalyzeMemory(request, ExampleInputs(stem, lose));
    ASSERT_TRUE(result.succeeded);
    EXPECT_EQ(FactsOf(result), FactsOf(base)) << stem;
    EXPECT_EQ(result.ranges_from_plan, base.ranges_from_plan);
  }
}

constexpr const char* kExamples[] = {
    "cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations",
    "h100x4_fsdp_mlp_train/module_0001.jit_fsdp_mlp_train.sm_9.0a_gpu_after_optimizations"};

TEST(AnalyzeMemory, FactsDoNotDependOnWhatElseIsAsked) {
  for (const char* stem : kExamples) ExpectSameFacts(stem, [](Assignment&) {});
}

TEST(AnalyzeMemory, NorDoThoseThatTheDumpLacks) {
  for (const char* stem : kExamples) {
    ExpectSameFacts(stem, [](Assignment& assignment) {
      assignment.schedule_end = -1;
      assignment.sequence.clear();
      for (AssignedValue& value : assignment.values) value.live = {};
    });
  }
}

TEST(AnalyzeMemory, WhatADeviceIsAskedForChangesNoLiveRange) {
  for (const char* stem : kExamples) {
    const auto without_ranges = [](Assignment& assignment) {
      assignment.schedule_end = -1;
      assignment.sequence.clear();
      for (AssignedValue& value : assignment.values) value.live = {};
    };
    MemoryRequest plain, device;
    plain.advice = device.advice = AdviceDepth::kNone;
    device.device = "h100";
    plain.backend = device.backend = Backend::kGpu;
    EXPECT_EQ(FactsOf(AnalyzeMemory(device, ExampleInputs(stem, without_ranges))),
              FactsOf(AnalyzeMemory(plain, ExampleInputs(stem, without_ranges))));
  }
}

// A plan is about the module, whatever assignment is beside it.
TEST(AnalyzeMemory, APlanIsExplainedWithItsModule) {
  MemoryInputs inputs = ExampleInputs(kExamples[0], [](Assignment&) {});
  MemoryInputs other = ExampleInputs(kExamples[1], [](Assignment&) {});
  inputs.assignment = std::move(other.assignment);
  MemoryRequest request;
  request.advice = AdviceDepth::kNone;
  request.plan = true;
  const MemoryResult result = AnalyzeMemory(request, std::move(inputs));
  ASSERT_TRUE(result.succeeded);
  EXPECT_TRUE(result.is_planned);
  EXPECT_TRUE(result.ids.has_value());
}

// Names of different computations may be the same; ids tell their instructions apart.
TEST(AnalyzeMemory, IdsAreThoseOfTheModuleAlsoIfItIsScheduledHere) {
  constexpr std::string_view kText = R"(HloModule m

double {
  x = f32[8]{0} parameter(0)
  ROOT r = f32[8]{0} add(x, x)
}

ENTRY e {
  x = f32[8]{0} parameter(0)
  y = f32[8]{0} negate(x)
  c = f32[8]{0} call(y), to_apply=double
  z = f32[8]{0} exponential(x)
  ROOT r = f32[8]{0} multiply(c, z)
}
)";
  const TextReadResult read = ReadHloText(kText);
  ASSERT_TRUE(read.diagnostics.ok());
  MemoryInputs inputs;
  inputs.module = &read.module;
  const MemoryResult result = AnalyzeMemory({}, std::move(inputs));
  ASSERT_TRUE(result.succeeded);
  EXPECT_FALSE(result.is_scheduled);
  ASSERT_TRUE(result.ids.has_value());
  const Module& module = read.module;
  size_t entry_values = 0;
  for (size_t i = 0; i < result.assignment.values.size(); ++i) {
    const InstId inst = result.ids->values[i].inst;
    ASSERT_TRUE(inst.valid());
    EXPECT_EQ(module.name_of(module.inst(inst)),
              result.assignment.text(result.assignment.values[i].instruction));
    if (module.inst(inst).parent == module.entry) ++entry_values;
  }
  EXPECT_GE(entry_values, 4U);
  for (size_t i = 0; i < result.assignment.sequence.size(); ++i) {
    EXPECT_EQ(module.name_of(module.inst(result.ids->sequence[i])),
              result.assignment.text(result.assignment.sequence[i]));
  }
}

}  // namespace
}  // namespace halo
