// Detects generations and prints a module in the style of another one. Golden files under
// tests/generations show whole modules.
#include "halo/text/generation.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

std::string GenerationOf(const std::string& text) {
  const GenerationGuess guess = DetectGeneration(ReadHloText(text).module);
  return std::string(GenerationText(guess.generation)) + "-" +
         std::string(GenerationText(guess.latest));
}

TEST(Generation, ByStyle) {
  EXPECT_EQ(
      GenerationOf("ENTRY %e (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n  ROOT %n = f32[] "
                   "negate(f32[] %p)\n}\n"),
      "G1-G3");
  EXPECT_EQ(GenerationOf("ENTRY e {\n  p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}\n"),
            "G2-G2");
  EXPECT_EQ(
      GenerationOf("ENTRY %e (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n  ROOT %n = f32[] "
                   "negate(%p)\n}\n"),
      "G3-G6");
  EXPECT_EQ(GenerationOf(""), "unknown-unknown");
}

TEST(Generation, ByWhatCameAndWent) {
  const auto with = [](const std::string& line) {
    return GenerationOf(
        "ENTRY %e (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n  ROOT %n = " + line +
        "\n}\n");
  };
  EXPECT_EQ(with("f32[8]{0} scan(%p), dimensions={0}"), "G4-G6");
  EXPECT_EQ(with("f32[8]{0} mulhi(%p, %p)"), "G5-G6");
  EXPECT_EQ(with("f32[8]{0} collective-reduce(%p)"), "G6-G6");
  EXPECT_EQ(with("f32[8]{0} negate(%p), metadata={stack_frame_id=1}"), "G4-G6");
  EXPECT_EQ(with("f32[8]{0} negate(%p), sharding={mesh['a'=2], [{'a'}]}"), "G5-G6");
  EXPECT_EQ(with("f32[8]{0} negate(%p), conv_kind=fprop"), "G4-G5");
  EXPECT_EQ(with("f32[8]{0} negate(f32[8]{0} %p), backend_config={\"a\":1}"), "G3-G3");
  EXPECT_EQ(with("f32[8]{0} negate(f32[8]{0} %p), backend_config=\"{\\\"a\\\":1}\""), "G1-G1");
  // For text that mixes generations, the newest feature decides.
  EXPECT_EQ(with("f32[8]{0} negate(f32[8]{0} %p), sharding={mesh['a'=2], [{'a'}]}"), "G5-G6");
}

TEST(Generation, SaysWhy) {
  const GenerationGuess guess =
      DetectGeneration(ReadHloText("ENTRY e {\n  p = f32[] parameter(0)\n  ROOT n = f32[] tan(p), "
                                   "metadata={stack_frame_id=3}\n}\n")
                           .module);
  EXPECT_EQ(guess.generation, Generation::kG4);
  EXPECT_EQ(guess.why, "stack_frame_id, printed with names without %, no signatures");
}

TEST(Generation, EveryGenerationReadsBack) {
  const std::string text =
      "HloModule m, entry_computation_layout={((f32[4]{0}, f32[4]{0}))->f32[4]{0}}\n\nFileNames\n1 "
      "\"a.py\"\n\n"
      "FunctionNames\n1 \"f\"\n\nFileLocations\n1 {file_name_id=1 function_name_id=1 line=7 "
      "end_line=7 "
      "column=1 end_column=2}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n\n"
      "ENTRY %main (p: (f32[4], f32[4])) -> f32[4] {\n  %p = (f32[4]{0}, f32[4]{0}) parameter(0)\n"
      "  %a = f32[4]{0} get-tuple-element(%p), index=0\n  %b = f32[4]{0} get-tuple-element(%p), "
      "index=1\n"
      "  ROOT %s = f32[4]{0} add(%a, %b), metadata={op_name=\"s\" stack_frame_id=1}, "
      "backend_config={\"a\":\"b\"}\n}\n\n";
  for (const Generation generation : {Generation::kG1, Generation::kG2, Generation::kG3,
                                      Generation::kG4, Generation::kG5, Generation::kG6}) {
    TextReadResult read = ReadHloText(text);
    ASSERT_TRUE(read.diagnostics.empty());
    RestyleAs(generation, read.module);
    const std::string printed = HloText(read.module);
    const TextReadResult again = ReadHloText(printed);
    EXPECT_TRUE(again.diagnostics.empty()) << printed;
    EXPECT_EQ(HloText(again.module), printed);
    const bool has_tables = printed.find("FileNames") != std::string::npos;
    EXPECT_EQ(has_tables, generation >= Generation::kG4);
    EXPECT_EQ(printed.find("source_line=7") != std::string::npos, !has_tables);
    EXPECT_EQ(printed.find("%p#1") != std::string::npos, generation == Generation::kG6);
    EXPECT_EQ(printed.find("backend_config=\"{") != std::string::npos,
              generation == Generation::kG1);
  }
}

TEST(Generation, ModuleWithoutAnyNameIsGivenOne) {
  TextReadResult read = ReadHloText("ENTRY {\n  %p = f32[] parameter(0)\n}\n");
  ASSERT_TRUE(read.diagnostics.ok());
  RestyleAs(Generation::kG1, read.module);
  const std::string printed = HloText(read.module);
  EXPECT_TRUE(printed.starts_with("HloModule module\n")) << printed;
  EXPECT_TRUE(ReadHloText(printed).diagnostics.empty());
}

}  // namespace
}  // namespace halo
