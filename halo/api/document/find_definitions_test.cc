// Finds names in texts as written by XLA and by people.
#include "halo/api/document/find_definitions.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

constexpr std::string_view kText =
    "HloModule m, is_scheduled=true\n"
    "\n"
    "%add (a: f32[], b: f32[]) -> f32[] {\n"
    "  %a = f32[] parameter(0)\n"
    "  ROOT %s = f32[] add(%a, %a)\n"
    "}\n"
    "ENTRY main {\n"
    "  a = f32[] parameter(0)\n"
    "  ROOT r.1 = f32[] call(a, a), to_apply=add\n"
    "}\n";

std::string_view At(const std::optional<size_t>& offset) {
  return offset ? kText.substr(*offset, 6) : "none";
}

TEST(FindDefinitionsTest, NamesAreInTheirComputation) {
  const Definition wanted[] = {{"main", "a"},   {"add", "a"},   {"add", "s"},
                               {"main", "r.1"}, {"", ""},       {"main", ""},
                               {"add", ""},     {"add", "r.1"}, {"main", "a"}};
  const auto found = FindDefinitions(kText, wanted);
  EXPECT_EQ(At(found[0]), "a = f3");
  EXPECT_EQ(At(found[1]), "%a = f");
  EXPECT_EQ(At(found[2]), "%s = f");
  EXPECT_EQ(At(found[3]), "r.1 = ");
  EXPECT_EQ(At(found[4]), "HloMod");
  EXPECT_EQ(At(found[5]), "main {");
  EXPECT_EQ(At(found[6]), "%add (");
  EXPECT_EQ(At(found[7]), "none");
  EXPECT_EQ(found[8], found[0]);
}

TEST(FindDefinitionsTest, AnyTextIsFine) {
  const Definition wanted[] = {{"e", "a"}};
  for (const std::string_view text : {"", "{", "=", "e {\n = ", "ROOT", "ROOT \n", "%\n"}) {
    EXPECT_EQ(FindDefinitions(text, wanted)[0], std::nullopt);
  }
}

}  // namespace
}  // namespace halo
