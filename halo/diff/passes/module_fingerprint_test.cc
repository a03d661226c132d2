// What a fingerprint distinguishes and what it does not.
#include "halo/diff/passes/module_fingerprint.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"

namespace halo {
namespace {

uint64_t Print(const std::string& body, const std::string& header = "") {
  return FingerprintOf(
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

TEST(ModuleFingerprint, IgnoresNamesMetadataAndOrder) {
  EXPECT_EQ(Print(kPlain), Print(kReordered));
}

TEST(ModuleFingerprint, SeesTheOrderOfASchedule) {
  EXPECT_NE(Print(kPlain, ", is_scheduled=true"), Print(kReordered, ", is_scheduled=true"));
  EXPECT_NE(Print(kPlain), Print(kPlain, ", is_scheduled=true"));
}

TEST(ModuleFingerprint, SeesOperandsLayoutsAndDonations) {
  std::string swapped = kPlain;
  swapped.replace(swapped.find("(x, y)"), 6, "(y, x)");
  EXPECT_NE(Print(kPlain), Print(swapped));
  std::string stored = kPlain;
  stored.replace(stored.find("{1,0} abs"), 5, "{0,1}");
  EXPECT_NE(Print(kPlain), Print(stored));
  EXPECT_NE(Print(kPlain), Print(kPlain, ", input_output_alias={ {}: (0, {}, may-alias) }"));
}

}  // namespace
}  // namespace halo
