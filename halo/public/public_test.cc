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
  ASSERT_TRUE(diff.ok) << diff.refused;
  EXPECT_EQ(diff.same, false);
  ASSERT_TRUE(diff.peak.has_value());
  const halo::DiffPeak& peak = *diff.peak;
  EXPECT_EQ(peak.only_after + peak.only_before + peak.resized + peak.packing, peak.bytes);
  EXPECT_EQ(peak.bytes, peak.after.bytes - peak.before.bytes);
  ASSERT_TRUE(diff.step.has_value());
  EXPECT_EQ(diff.step->device, "h100");
  ASSERT_TRUE(diff.causes && !diff.causes->empty());
  EXPECT_TRUE(diff.causes->front().seconds.has_value());
  EXPECT_THAT(diff.ToJson(), HasSubstr("\"step\": {"));
  request.device = "abacus";
  const halo::DiffResult unknown = halo::Diff(before, after, request);
  EXPECT_FALSE(unknown.ok);
  EXPECT_THAT(unknown.refused, HasSubstr("`device` is one of"));
}

TEST(PublicTest, Numbers) {
  const halo::Document before = halo::OpenBytes(kModule, "before.hlo");
  const halo::NumbersResult same = halo::Numbers(before, before);
  EXPECT_TRUE(same.ok);
  EXPECT_EQ(same.agrees, true);
  const halo::NumbersResult other = halo::Numbers(before, halo::OpenBytes(kOther, "after.hlo"));
  ASSERT_TRUE(other.ok);
  EXPECT_EQ(other.agrees, false);
  EXPECT_EQ(other.results->size(), 1U);
  EXPECT_EQ(other.wrong, 1);
  ASSERT_TRUE(other.first.has_value());
  EXPECT_EQ(other.first->after.opcode, "subtract");
  EXPECT_THAT(other.ToJson(), HasSubstr("halo.numbers.v1"));
  const halo::NumbersResult none = halo::Numbers(before, halo::OpenBytes("no program", "none"));
  EXPECT_FALSE(none.ok);
  EXPECT_FALSE(none.diagnostics.empty());
}

TEST(PublicTest, Snapshots) {
  const halo::Document document = halo::OpenPath(Example("cpu_after_optimizations.txt"));
  halo::SnapshotRequest request;
  const std::vector<halo::Document> related = halo::OpenRelated(document);
  const halo::SnapshotResult snapshot = halo::Snapshot(document, request, related);
  ASSERT_TRUE(snapshot.succeeded);
  EXPECT_EQ(snapshot.program, "jit_mlp_train");
  ASSERT_TRUE(snapshot.memory);
  EXPECT_FALSE(snapshot.memory->planned);
  EXPECT_GT(snapshot.memory->peak_bytes.value_or(0), 0);
  EXPECT_THAT(snapshot.ToJson(), HasSubstr("halo.snapshot.v1"));
  EXPECT_EQ(snapshot.ToJson(), halo::Snapshot(document, request, related).ToJson());
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
  ASSERT_EQ(recompiles.list.size(), 1U);
  EXPECT_EQ(recompiles.list[0].function, "jit_mlp_train");
  EXPECT_FALSE(recompiles.list[0].predecessor.has_value());
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
  EXPECT_FALSE(halo::Run(missing).finished);
  EXPECT_TRUE(halo::Info(missing).modules.empty());
  const halo::Document empty;
  EXPECT_TRUE(empty.modules().empty());
  EXPECT_FALSE(halo::Memory(empty).succeeded);
  EXPECT_FALSE(halo::Run(empty).finished);
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
  ASSERT_FALSE(check.diagnostics.empty());
  EXPECT_EQ(check.diagnostics[0].line, 5U);
  EXPECT_EQ(check.diagnostics[0].path, "step.hlo");
  EXPECT_THAT(check.ToJson(), HasSubstr("\"schema\": \"halo.check.v1\""));
  EXPECT_THAT(check.ToSarif(), HasSubstr("2.1.0"));
  EXPECT_TRUE(halo::Check(halo::OpenBytes(kModule, "step.hlo")).ok());
}

TEST(PublicTest, MemoryOfADump) {
  const halo::Document document = halo::OpenPath(Example("cpu_after_optimizations.txt"));
  const std::vector<halo::Document> related = halo::OpenRelated(document);
  EXPECT_EQ(related.size(), 2U);
  halo::MemoryRequest request;
  request.check = true;
  request.capacity = 1;
  const halo::MemoryResult dumped = halo::Memory(document, request, related);
  ASSERT_TRUE(dumped.succeeded);
  EXPECT_FALSE(dumped.planned_by_halo);
  EXPECT_EQ(dumped.backend, "cpu");
  EXPECT_EQ(dumped.findings, 0);
  EXPECT_EQ(dumped.fits, false);
  ASSERT_TRUE(dumped.peak && dumped.largest && dumped.profile);
  EXPECT_GT(dumped.peak->bytes, 0);
  EXPECT_FALSE(dumped.largest->empty());
  EXPECT_FALSE(dumped.profile->temp_bytes.empty());
  EXPECT_THAT(dumped.verdict.text, HasSubstr("DOES NOT FIT"));
  EXPECT_THAT(dumped.ToJson(), HasSubstr("\"schema\": \"halo.memory.v2\""));
  // The library's plan matches XLA's.
  const halo::MemoryResult planned = halo::Memory(document);
  ASSERT_TRUE(planned.succeeded);
  EXPECT_TRUE(planned.planned_by_halo);
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
  ASSERT_EQ(result.diagnostics.size(), 1U);
  for (const char* name : {"`device`", "`backend`", "`alignment` must be a power of two"}) {
    EXPECT_THAT(result.diagnostics[0].message, HasSubstr(name));
  }
  EXPECT_EQ(result.ToJson(), "");
}

TEST(PublicTest, RunsWithArrays) {
  const halo::Document document = halo::OpenBytes(kModule, "step.hlo");
  halo::RunRequest request;
  request.inputs.push_back(halo::MakeArray<float>("in_0", "f32", {4}, {1, 2, 3, 4}));
  request.inputs.push_back(halo::MakeArray<float>("q", "f32", {4}, {1, 10, 100, 1000}));
  const halo::RunResult result = halo::Run(document, request);
  ASSERT_TRUE(result.finished) << result.diagnostics[0].message;
  ASSERT_EQ(result.arrays.size(), 1U);
  EXPECT_EQ(result.arrays[0].name, "out_0");
  EXPECT_THAT(result.arrays[0].As<float>(), ElementsAre(2, 40, 600, 8000));
  ASSERT_EQ(result.outputs->size(), 1U);
  EXPECT_EQ(result.outputs->front().figures.max, 8000);
  EXPECT_THAT(result.ToJson(), HasSubstr("\"schema\": \"halo.run.v2\""));
  // What the compiled engine cannot do, or a missing plugin, is reported as a reason and not as an
  // error.
  request.engine = "compiled";
  const halo::RunResult compiled = halo::Run(document, request);
  ASSERT_TRUE(compiled.finished);
  EXPECT_THAT(compiled.arrays[0].As<float>(), ElementsAre(2, 40, 600, 8000));
  EXPECT_EQ(compiled.not_compiled_because.empty(), compiled.engine == "compiled");
}

TEST(PublicTest, RunRefusesWrongArrays) {
  const halo::Document document = halo::OpenBytes(kModule, "step.hlo");
  halo::RunRequest request;
  EXPECT_FALSE(halo::Run(document, request).finished);
  request.inputs.push_back(halo::MakeArray<float>("in_0", "f32", {5}, {1, 2, 3, 4}));
  EXPECT_THAT(halo::Run(document, request).diagnostics[0].message, HasSubstr("take 20 bytes"));
  request.inputs[0] = halo::MakeArray<float>("in_0", "f31", {4}, {1, 2, 3, 4});
  EXPECT_THAT(halo::Run(document, request).diagnostics[0].message, HasSubstr("`f31`"));
  request.inputs[0] = halo::MakeArray<float>("in_7", "f32", {4}, {1, 2, 3, 4});
  EXPECT_FALSE(halo::Run(document, request).finished);
  request.module = 3;
  EXPECT_FALSE(halo::Run(document, request).finished);
}

TEST(PublicTest, RunRefusesWhatMakesNoSense) {
  const halo::Document document = halo::OpenBytes(kModule, "step.hlo");
  halo::RunRequest request;
  request.engine = "steam";
  request.devices = 0;
  request.fill_elided = "twos";
  const halo::RunResult result = halo::Run(document, request);
  EXPECT_FALSE(result.finished);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  for (const char* name : {"`engine`", "`devices` must be from 1 to 1e+09", "`fill_elided`"}) {
    EXPECT_THAT(result.diagnostics[0].message, HasSubstr(name));
  }
  EXPECT_EQ(result.ToJson(), "");
}

TEST(PublicTest, ARunSaysWhereANanComesFrom) {
  const halo::Document document = halo::OpenBytes(
      "HloModule logs\n\nENTRY main {\n  p = f32[2] parameter(0)\n  ROOT r = f32[2] log(p)\n}\n",
      "logs.hlo");
  halo::RunRequest request;
  request.find_nan = true;
  request.inputs = {halo::MakeArray<float>("in_0", "f32", {2}, {1, 2})};
  const halo::RunResult finite = halo::Run(document, request);
  ASSERT_TRUE(finite.first_non_finite.has_value());
  EXPECT_FALSE(finite.first_non_finite->has_value());
  EXPECT_THAT(finite.ToJson(), HasSubstr("\"first_non_finite\": null"));
  request.inputs = {halo::MakeArray<float>("in_0", "f32", {2}, {1, -2})};
  const halo::RunResult broken = halo::Run(document, request);
  ASSERT_TRUE(broken.first_non_finite && *broken.first_non_finite);
  EXPECT_EQ((*broken.first_non_finite)->instruction, "r");
  EXPECT_EQ((*broken.first_non_finite)->is, "nan");
  EXPECT_EQ((*broken.first_non_finite)->operands.front().figures.min, -2);
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
  EXPECT_EQ(result.device.name, "h100");
  EXPECT_EQ(result.cost.flops, 8);
  ASSERT_EQ(result.ops.size(), 2U);
  EXPECT_GT(result.step.estimate_seconds, result.step.floor_seconds);
  EXPECT_THAT(result.ToJson(), HasSubstr("\"schema\": \"halo.time.v2\""));
  request.device = "nosuch";
  const halo::TimeResult refused = halo::Time(document, request);
  EXPECT_FALSE(refused.succeeded);
  ASSERT_EQ(refused.diagnostics.size(), 1U);
  EXPECT_THAT(refused.diagnostics[0].message, HasSubstr("`device` is one of"));
}

}  // namespace
