// Checks that codes differ in their texts, and in the ids that identify them between processes.
#include "halo/api/document/all_diagnostics.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(AllDiagnosticsTest, TextsAndIdsAreUnique) {
  std::set<std::string_view> texts;
  std::set<uint32_t> ids;
  for (const DiagCode& code : AllDiagnostics()) {
    EXPECT_TRUE(texts.insert(code.text).second) << code.text;
    EXPECT_TRUE(ids.insert(code.id()).second) << code.text;
  }
  EXPECT_GE(texts.size(), 90U);
}

TEST(AllDiagnosticsTest, FoundByTheirId) {
  for (const DiagCode& code : AllDiagnostics()) {
    ASSERT_NE(FindDiagnostic(code.id()), nullptr);
    EXPECT_EQ(*FindDiagnostic(code.id()), code);
  }
  EXPECT_EQ(FindDiagnostic(0), nullptr);
}

}  // namespace
}  // namespace halo
