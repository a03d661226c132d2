// What fingerprints must tell apart, and what they must not.
#include "halo/diff/fingerprint/fingerprint.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/diff/explain/config_change.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

Module Read(const std::string& header, const std::string& body) {
  return ReadHloText("HloModule m" + header + "\n\nENTRY e {\n" + body + "}\n").module;
}

const char* const kBody =
    "  a = f32[4]{0} parameter(0)\n  c = f32[4]{0} constant({1, 2, 3, 4})\n"
    "  m = f32[4]{0} multiply(a, c)\n  n = f32[4]{0} negate(a)\n"
    "  ROOT s = f32[4]{0} add(m, n)\n";

std::string Edited(const std::string& from, const std::string& to) {
  std::string text = kBody;
  return text.replace(text.find(from), from.size(), to);
}

TEST(FingerprintTest, NamesAndMetadataDoNotCount) {
  const Module before = Read("", kBody);
  const Module after =
      Read("", Edited("n = f32[4]{0} negate(a)",
                      "n = f32[4]{0} negate(a), metadata={op_name=\"x\" source_line=3}"));
  EXPECT_EQ(FingerprintModule(before), FingerprintModule(after));
  EXPECT_EQ(FingerprintValues(before), FingerprintValues(after));
}

TEST(FingerprintTest, OrderCountsInSchedulesOnly) {
  const std::string other = Edited("  m = f32[4]{0} multiply(a, c)\n  n = f32[4]{0} negate(a)\n",
                                   "  n = f32[4]{0} negate(a)\n  m = f32[4]{0} multiply(a, c)\n");
  EXPECT_EQ(FingerprintModule(Read("", kBody)), FingerprintModule(Read("", other)));
  EXPECT_NE(FingerprintModule(Read(", is_scheduled=true", kBody)),
            FingerprintModule(Read(", is_scheduled=true", other)));
}

TEST(FingerprintTest, ConstantsCanBeLeftOut) {
  const Module before = Read("", kBody);
  const Module after = Read("", Edited("{1, 2, 3, 4}", "{1, 2, 3, 5}"));
  EXPECT_NE(FingerprintModule(before), FingerprintModule(after));
  EXPECT_NE(FingerprintValues(before), FingerprintValues(after));
  EXPECT_EQ(FingerprintValues(before, {.ignore_constants = true}),
            FingerprintValues(after, {.ignore_constants = true}));
  const Module code = Read("", Edited("negate", "abs"));
  EXPECT_NE(FingerprintValues(before, {.ignore_constants = true}),
            FingerprintValues(code, {.ignore_constants = true}));
}

TEST(FingerprintTest, LayoutsAndConfigurationsCountForTheModule) {
  const Module before = Read("", kBody);
  const Module after = Read("", Edited("negate(a)", "negate(a), backend_config={\"tile\":\"8\"}"));
  EXPECT_NE(FingerprintModule(before), FingerprintModule(after));
  EXPECT_EQ(FingerprintValues(before), FingerprintValues(after));
}

uint64_t Print(const std::string& body, const std::string& header = "") {
  return FingerprintModule(
      ReadHloText("HloModule m" + header + "\n\nENTRY e {\n" + body + "}\n").module);
}

constexpr const char* kPlain =
    "  a = f32[2,4]{1,0} parameter(0)\n"
    "  x = f32[2,4]{1,0} negate(a)\n"
    "  y = f32[2,4]{1,0} abs(a)\n"
    "  ROOT r = f32[2,4]{1,0} subtract(x, y)\n";
constexpr const char* kReordered =
    "  p = f32[2,4]{1,0} parameter(0)\n"
    "  v = f32[2,4]{1,0} abs(p), metadata={op_name=\"n\"}\n"
    "  u = f32[2,4]{1,0} negate(p)\n"
    "  ROOT s = f32[2,4]{1,0} subtract(u, v)\n";

TEST(FingerprintModuleTest, IgnoresNamesMetadataAndOrder) {
  EXPECT_EQ(Print(kPlain), Print(kReordered));
}

TEST(FingerprintModuleTest, SeesTheOrderOfASchedule) {
  EXPECT_NE(Print(kPlain, ", is_scheduled=true"), Print(kReordered, ", is_scheduled=true"));
  EXPECT_NE(Print(kPlain), Print(kPlain, ", is_scheduled=true"));
}

TEST(FingerprintModuleTest, SeesOperandsLayoutsAndDonations) {
  std::string swapped = kPlain;
  swapped.replace(swapped.find("(x, y)"), 6, "(y, x)");
  EXPECT_NE(Print(kPlain), Print(swapped));
  std::string stored = kPlain;
  stored.replace(stored.find("{1,0} abs"), 5, "{0,1}");
  EXPECT_NE(Print(kPlain), Print(stored));
  EXPECT_NE(Print(kPlain), Print(kPlain, ", input_output_alias={ {}: (0, {}, may-alias) }"));
}

TEST(FingerprintModuleTest, SeesControlDependencies) {
  std::string after = kPlain;
  after.replace(after.find("abs(a)"), 6, "abs(a), control-predecessors={x}");
  EXPECT_NE(Print(kPlain), Print(after));
}

TEST(ConfigChangeTest, NamesTheFieldsThatDiffer) {
  EXPECT_EQ(DescribeConfigChange("{\"a\":{\"block_m\":\"64\",\"warps\":4}}",
                                 "{\"a\":{\"block_m\":\"128\",\"warps\":4,\"new\":true}}"),
            "block_m: 64 became 128, new: none became true");
  EXPECT_EQ(DescribeConfigChange("{\"s\":[1,2]}", "{\"s\":[1,3]}"), "s: [1,2] became [1,3]");
  EXPECT_EQ(DescribeConfigChange("x", "y"), "other backend_config");
}

}  // namespace
}  // namespace halo
