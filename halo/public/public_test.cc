// Tests the public C++ interface as a user of libhaloscope sees it: only its headers and symbols.
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haloscope/haloscope.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kModule = R"(HloModule step, is_scheduled=true

double {
  x = f32[4]{0} parameter(0)
  ROOT sum = f32[4]{0} add(x, x)
}

ENTRY main {
  p = f32[4]{0} parameter(0)
  q = f32[4]{0} parameter(1)
  f = f32[4]{0} fusion(p), kind=kLoop, calls=double, metadata={op_name="jit(f)/mul" source_file="/x/model.py" source_line=7}
  ROOT r = f32[4]{0} multiply(f, q)
}
)";

std::string Example(const std::string& name) {
  return std::string(HALO_SOURCE_DIR) + "/examples/cpu_mlp_train/module_0000.jit_mlp_train." + name;
}

TEST(PublicTest, VersionsAgree) {
  EXPECT_EQ(halo::Version(), HALOSCOPE_VERSION);
  EXPECT_EQ(halo::BuildId().size(), 32U);
}

TEST(PublicTest, ViewsOfAModule) {
  std::vector<halo::ModuleView> modules;
  {
    const halo::Document document = halo::OpenBytes(kModule, "step.hlo");
    ASSERT_TRUE(document.ok());
    EXPECT_EQ(document.kind(), "hlo-text");
    EXPECT_EQ(document.path(), "step.hlo");
    modules = document.modules();
  }
  // The views keep the document alive.
  ASSERT_EQ(modules.size(), 1U);
  const halo::ModuleView& module = modules[0];
  EXPECT_EQ(module.name(), "step");
  EXPECT_TRUE(module.is_scheduled());
  EXPECT_EQ(module.instruction_count(), 6U);
  ASSERT_EQ(module.computations().size(), 2U);
  EXPECT_EQ(module.text(), kModule);
  const auto root = module.entry()->root();
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->opcode(), "multiply");
  EXPECT_TRUE(root->is_root());
  ASSERT_EQ(root->operands().size(), 2U);
  const halo::InstructionView fusion = root->operands()[0];
  EXPECT_EQ(fusion.name(), "f");
  EXPECT_EQ(fusion.shape(), "f32[4]{0}");
  EXPECT_EQ(fusion.byte_size(), 16);
  EXPECT_EQ(fusion.op_name(), "jit(f)/mul");
  EXPECT_EQ(fusion.source(), "/x/model.py:7");
  EXPECT_THAT(fusion.text(), HasSubstr("kind=kLoop"));
  EXPECT_THAT(fusion.users(), ElementsAre(*root));
  ASSERT_EQ(fusion.called_computations().size(), 1U);
  EXPECT_EQ(fusion.called_computations()[0].name(), "double");
  EXPECT_EQ(fusion.computation().name(), "main");
  EXPECT_EQ(module.Find("q")->parameter_number(), 1);
  EXPECT_FALSE(module.Find("nothing").has_value());
}

constexpr std::string_view kOther = R"(HloModule step, is_scheduled=true

ENTRY main {
  p = f32[4]{0} parameter(0)
  q = f32[4]{0} parameter(1)
  f = f32[4]{0} add(p, p)
  ROOT r = f32[4]{0} subtract(f, q)
}
)";

TEST(PublicTest, DifferencesInMemoryAndTime) {
  const halo::Document before = halo::OpenBytes(kModule, "before.hlo");
  const halo::Document after = halo::OpenBytes(kOther, "after.hlo");
  halo::DiffRequest request;
  request.device = "h100";
  const halo::DiffResult diff = halo::Diff(before, after, request);
  ASSERT_TRUE(diff.succeeded) << diff.refused;
  EXPECT_FALSE(diff.same);
  ASSERT_TRUE(diff.peak.has_value());
  const halo::DiffPeak& peak = *diff.peak;
  EXPECT_EQ(peak.only_after + peak.only_before + peak.resized + peak.packing,
            peak.after - peak.before);
  ASSERT_TRUE(diff.step.has_value());
  EXPECT_EQ(diff.step->device, "h100");
  ASSERT_FALSE(diff.causes.empty());
  EXPECT_TRUE(diff.causes[0].seconds.has_value());
  EXPECT_THAT(diff.ToJson(), HasSubstr("\"step\": {"));
  request.device = "abacus";
  const halo::DiffResult unknown = halo::Diff(before, after, request);
  EXPECT_FALSE(unknown.succeeded);
  EXPECT_EQ(unknown.refused, "no device is called abacus");
}

TEST(PublicTest, Numbers) {
  const halo::Document before = halo::OpenBytes(kModule, "before.hlo");
  const halo::NumbersResult same = halo::Numbers(before, before);
  EXPECT_TRUE(same.succeeded);
  EXPECT_TRUE(same.agrees);
  const halo::NumbersResult other = halo::Numbers(before, halo::OpenBytes(kOther, "after.hlo"));
  ASSERT_TRUE(other.succeeded);
  EXPECT_FALSE(other.agrees);
  EXPECT_EQ(other.results, 1);
  EXPECT_EQ(other.wrong, 1);
  EXPECT_THAT(other.ToJson(), HasSubstr("halo.numbers.v1"));
  const halo::NumbersResult none = halo::Numbers(before, halo::OpenBytes("no program", "none"));
  EXPECT_FALSE(none.succeeded);
  EXPECT_FALSE(none.diagnostics.empty());
}

TEST(PublicTest, Snapshots) {
  const halo::Document document = halo::OpenPath(Example("cpu_after_optimizations.txt"));
  halo::SnapshotRequest request;
  request.related = halo::OpenRelated(document);
  const halo::SnapshotResult snapshot = halo::Snapshot(document, request);
  ASSERT_TRUE(snapshot.succeeded);
  EXPECT_EQ(snapshot.program, "jit_mlp_train");
  EXPECT_GT(snapshot.peak_bytes.value_or(0), 0);
  EXPECT_THAT(snapshot.ToJson(), HasSubstr("halo.snapshot.v1"));
  EXPECT_EQ(snapshot.ToJson(), halo::Snapshot(document, request).ToJson());
  request.device = "abacus";
  EXPECT_FALSE(halo::Snapshot(document, request).succeeded);
  EXPECT_FALSE(halo::Snapshot(halo::OpenBytes("no program", "none")).succeeded);
}

TEST(PublicTest, WholeFolders) {
  const std::string folder = std::string(HALO_SOURCE_DIR) + "/examples/cpu_mlp_train";
  const halo::RanksResult ranks = halo::Ranks(folder);
  ASSERT_TRUE(ranks.succeeded);
  EXPECT_EQ(ranks.ranks, 1U);
  EXPECT_EQ(ranks.groups.size(), 1U);
  EXPECT_THAT(ranks.ToJson(), HasSubstr("halo.ranks.v1"));
  const halo::RecompilesResult recompiles = halo::Recompiles(folder);
  ASSERT_TRUE(recompiles.succeeded);
  EXPECT_EQ(recompiles.recompiles, 0);
  ASSERT_EQ(recompiles.compilations.size(), 1U);
  EXPECT_EQ(recompiles.compilations[0].function, "jit_mlp_train");
  EXPECT_FALSE(recompiles.compilations[0].predecessor.has_value());
  const halo::RanksResult none = halo::Ranks("/no/such/folder");
  EXPECT_FALSE(none.succeeded);
  EXPECT_EQ(none.diagnostics.size(), 1U);
  EXPECT_THAT(none.ToJson(), HasSubstr("halo.error.v1"));
}

TEST(PublicTest, WhatCannotBeReadIsADiagnostic) {
  const halo::Document missing = halo::OpenPath("/no/such/file");
  EXPECT_FALSE(missing.ok());
  ASSERT_EQ(missing.diagnostics().size(), 1U);
  EXPECT_THAT(halo::Render(missing.diagnostics()[0]), HasSubstr("error: "));
  EXPECT_FALSE(halo::Check(missing).is_readable);
  EXPECT_FALSE(halo::Memory(missing).succeeded);
  EXPECT_FALSE(halo::Run(missing).has_results);
  EXPECT_TRUE(halo::Info(missing).modules.empty());
  const halo::Document empty;
  EXPECT_TRUE(empty.modules().empty());
  EXPECT_FALSE(halo::Memory(empty).succeeded);
  EXPECT_FALSE(halo::Run(empty).has_results);
  EXPECT_TRUE(halo::OpenRelated(empty).empty());
}

TEST(PublicTest, InfoCounts) {
  const halo::InfoResult info = halo::Info(halo::OpenBytes(kModule, "step.hlo"), {.largest = 1});
  ASSERT_EQ(info.modules.size(), 1U);
  EXPECT_EQ(info.modules[0].instructions, 6);
  EXPECT_EQ(info.modules[0].parameter_bytes, 32);
  EXPECT_EQ(info.modules[0].largest.size(), 1U);
  EXPECT_THAT(info.ToJson(), HasSubstr("\"schema\": \"halo.info.v1\""));
}

TEST(PublicTest, CheckFindsLines) {
  std::string broken(kModule);
  broken.replace(broken.find("add(x, x)"), 9, "add(x, y)");
  const halo::CheckResult check = halo::Check(halo::OpenBytes(broken, "step.hlo"));
  EXPECT_FALSE(check.ok());
  ASSERT_FALSE(check.findings.empty());
  EXPECT_EQ(check.findings[0].diagnostic.line, 5U);
  EXPECT_EQ(check.findings[0].diagnostic.file, "step.hlo");
  EXPECT_THAT(check.ToJson(), HasSubstr("\"schema\": \"halo.check.v1\""));
  EXPECT_THAT(check.ToSarif(), HasSubstr("2.1.0"));
  EXPECT_TRUE(halo::Check(halo::OpenBytes(kModule, "step.hlo")).ok());
}

TEST(PublicTest, MemoryOfADump) {
  const halo::Document document = halo::OpenPath(Example("cpu_after_optimizations.txt"));
  halo::MemoryRequest request;
  request.related = halo::OpenRelated(document);
  EXPECT_EQ(request.related.size(), 2U);
  request.check = true;
  request.capacity = 1;
  const halo::MemoryResult dumped = halo::Memory(document, request);
  ASSERT_TRUE(dumped.succeeded);
  EXPECT_FALSE(dumped.is_planned);
  EXPECT_EQ(dumped.backend, "cpu");
  EXPECT_EQ(dumped.is_sound, true);
  EXPECT_FALSE(dumped.fits());
  EXPECT_GT(dumped.peak_bytes, 0);
  EXPECT_FALSE(dumped.entries.empty());
  EXPECT_FALSE(dumped.profile.empty());
  EXPECT_THAT(dumped.verdict, HasSubstr("DOES NOT FIT"));
  EXPECT_THAT(dumped.ToJson(), HasSubstr("\"schema\": \"halo.memory.v1\""));
  // The library's plan matches XLA's.
  const halo::MemoryResult planned = halo::Memory(document);
  ASSERT_TRUE(planned.succeeded);
  EXPECT_TRUE(planned.is_planned);
  EXPECT_EQ(planned.total_bytes, dumped.total_bytes);
}

TEST(PublicTest, MemoryRefusesWhatMakesNoSense) {
  const halo::Document document = halo::OpenBytes(kModule, "step.hlo");
  halo::MemoryRequest request;
  request.device = "abacus";
  request.backend = "vpu";
  request.alignment = 3;
  const halo::MemoryResult result = halo::Memory(document, request);
  EXPECT_FALSE(result.succeeded);
  EXPECT_EQ(result.diagnostics.size(), 3U);
  EXPECT_EQ(result.ToJson(), "");
}

TEST(PublicTest, RunsWithArrays) {
  const halo::Document document = halo::OpenBytes(kModule, "step.hlo");
  halo::RunRequest request;
  request.inputs.push_back(halo::MakeArray<float>("in_0", "f32", {4}, {1, 2, 3, 4}));
  request.inputs.push_back(halo::MakeArray<float>("q", "f32", {4}, {1, 10, 100, 1000}));
  const halo::RunResult result = halo::Run(document, request);
  ASSERT_TRUE(result.has_results) << result.diagnostics[0].message;
  ASSERT_EQ(result.outputs.size(), 1U);
  EXPECT_EQ(result.outputs[0].name, "out_0");
  EXPECT_THAT(result.outputs[0].As<float>(), ElementsAre(2, 40, 600, 8000));
  EXPECT_THAT(result.ToJson(), HasSubstr("\"schema\": \"halo.run.v1\""));
  // What the compiled engine cannot do, or a missing plugin, is reported as a reason and not as an
  // error.
  request.engine = halo::Engine::kCompiled;
  const halo::RunResult compiled = halo::Run(document, request);
  ASSERT_TRUE(compiled.has_results);
  EXPECT_THAT(compiled.outputs[0].As<float>(), ElementsAre(2, 40, 600, 8000));
  EXPECT_EQ(compiled.declined.empty(), compiled.engine == halo::Engine::kCompiled);
}

TEST(PublicTest, RunRefusesWrongArrays) {
  const halo::Document document = halo::OpenBytes(kModule, "step.hlo");
  halo::RunRequest request;
  EXPECT_FALSE(halo::Run(document, request).has_results);
  request.inputs.push_back(halo::MakeArray<float>("in_0", "f32", {5}, {1, 2, 3, 4}));
  EXPECT_THAT(halo::Run(document, request).diagnostics[0].message, HasSubstr("take 20 bytes"));
  request.inputs[0] = halo::MakeArray<float>("in_0", "f31", {4}, {1, 2, 3, 4});
  EXPECT_THAT(halo::Run(document, request).diagnostics[0].message, HasSubstr("`f31`"));
  request.inputs[0] = halo::MakeArray<float>("in_7", "f32", {4}, {1, 2, 3, 4});
  EXPECT_FALSE(halo::Run(document, request).has_results);
  request.module = 3;
  EXPECT_FALSE(halo::Run(document, request).has_results);
}

TEST(PublicTest, ADocumentServesSeveralThreads) {
  const halo::Document document = halo::OpenPath(Example("cpu_after_optimizations.txt"));
  std::vector<size_t> users(4);
  std::vector<std::thread> threads;
  for (size_t& count : users) {
    threads.emplace_back([&document, &count] {
      for (const halo::InstructionView& each : document.modules()[0].entry()->instructions()) {
        count += each.users().size();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_GT(users[0], 0U);
  EXPECT_THAT(users, testing::Each(users[0]));
}

TEST(PublicTest, TimeOfAProgram) {
  const halo::Document document = halo::OpenBytes(kModule, "step.hlo");
  halo::TimeRequest request;
  request.device = "h100";
  const halo::TimeResult result = halo::Time(document, request);
  ASSERT_TRUE(result.succeeded);
  EXPECT_EQ(result.device, "h100");
  EXPECT_EQ(result.cost.flops, 8);
  ASSERT_EQ(result.ops.size(), 2U);
  EXPECT_GT(result.estimate_seconds, result.floor_seconds);
  EXPECT_THAT(result.ToJson(), HasSubstr("\"schema\": \"halo.time.v1\""));
  request.device = "nosuch";
  const halo::TimeResult refused = halo::Time(document, request);
  EXPECT_FALSE(refused.succeeded);
  ASSERT_EQ(refused.diagnostics.size(), 1U);
  EXPECT_THAT(refused.diagnostics[0].message, HasSubstr("nosuch"));
}

}  // namespace
