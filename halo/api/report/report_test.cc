// Tests what a report shows, and that no name breaks out of its element.
#include "halo/api/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/api/report/report_manifest.h"
#include "halo/base/json/json_reader.h"

namespace halo {
namespace {

using testing::HasSubstr;
using testing::Not;

Dump Examples(const std::string& folder) {
  Result<Dump> dump = IndexDump(std::string(HALO_SOURCE_DIR) + "/examples" + folder);
  EXPECT_TRUE(dump.ok());
  return std::move(*dump);
}

TEST(Report, ShowsEveryModuleAndItsInput) {
  const ReportData data = MakeReport(Examples(""), {});
  const std::optional<JsonValue> manifest = ParseJson(data.manifest);
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ((*manifest)["schema"].AsString(), "halo.embedding.v1");
  // broken.hlo is a program too: the viewer shows what is wrong with it.
  EXPECT_EQ((*manifest)["programs"].items.size(), 7u);
  EXPECT_EQ((*manifest)["files"].items.size(), data.blocks.size());
  for (const JsonValue& program : (*manifest)["programs"].items) {
    EXPECT_LT(program["file"].AsInt(1000), static_cast<int64_t>(data.blocks.size()));
  }
}

TEST(Report, GrowsOnlySoLarge) {
  ReportOptions options;
  options.max_bytes = 1;
  const ReportData data = MakeReport(Examples(""), options);
  EXPECT_EQ(data.programs, 1u);
  EXPECT_EQ(data.left_out, 6u);
}

TEST(Report, RedactsNamesOfFilesToo) {
  ReportOptions options;
  options.redact = true;
  options.choice.module = "jit_fsdp_mlp_train";
  const ReportData data = MakeReport(Examples(""), options);
  EXPECT_GE(data.programs, 2u);
  EXPECT_THAT(data.manifest, Not(HasSubstr("mlp")));
  EXPECT_THAT(data.manifest, Not(HasSubstr("h100x4")));
  EXPECT_THAT(data.manifest, HasSubstr("\"redacted\": true"));
}

// The name of a stage that XLA does not have comes from the name of a file.
TEST(Report, RedactsUnknownStages) {
  Dump dump = Examples("/cpu_mlp_train");
  for (DumpModule& module : dump.modules) {
    for (DumpStage& stage : module.stages) stage.name = StageFromText("secret_experiment");
  }
  ReportOptions options;
  options.redact = true;
  const ReportData data = MakeReport(dump, options);
  EXPECT_GE(data.programs, 1u);
  EXPECT_THAT(data.manifest, Not(HasSubstr("secret")));
  EXPECT_THAT(data.manifest, HasSubstr("stage_"));
}

TEST(Report, OneFileIsOneProgram) {
  const Dump dump =
      Examples("/cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt");
  ASSERT_GE(dump.given_file, 0);
  EXPECT_EQ(MakeReport(dump, {}).programs, 1u);
}

TEST(Report, NamesCannotEndTheirElement) {
  Manifest manifest;
  manifest.title = "</script><script>alert(1)</script>";
  manifest.files.push_back({"<!--", FileRole::kModuleText, 1});
  const std::string json = ManifestJson(manifest);
  EXPECT_THAT(json, Not(HasSubstr("<")));
  EXPECT_EQ((*ParseJson(json))["title"].AsString(), manifest.title);
}

TEST(Report, DataIsInItsSlot) {
  std::string out;
  const auto take = [&](std::string_view part) {
    out += part;
    return true;
  };
  EXPECT_FALSE(WritePage("<html></html>", "{}", {}, take));
  EXPECT_EQ(out, "");
  EXPECT_TRUE(WritePage("a<!--halo:data-->old<!--/halo:data-->b", "{}", {"QUJD"}, take));
  EXPECT_EQ(out,
            "a<!--halo:data--><script type=\"application/json\" id=\"halo-manifest\">{}</script>\n"
            "<script type=\"application/octet-stream\" id=\"halo-data-0\">QUJD</script>"
            "<!--/halo:data-->b");
}

}  // namespace
}  // namespace halo
