// Compiling units, finding their functions, and the disk cache: hits, damage, concurrent use.
#include "halo/codegen/jit.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/elementwise_kernel.h"
#include "halo/text/read_text.h"

namespace halo {
namespace {

const Module& AddModule() {
  static const Module kModule =
      ReadHloText(
          "HloModule m\nENTRY e {\na = f32[8] parameter(0)\nb = f32[8] parameter(1)\n"
          "ROOT r = f32[8] add(a, b)\n}\n")
          .module;
  return kModule;
}

JitUnit UnitNamed(const std::string& name) {
  return {name, {name}, [name](llvm::Module& out) {
            EmitElementwiseKernel(AddModule(), name, 16, out);
          }};
}

void ExpectAdds(const Jit& jit, const std::string& name) {
  std::array<float, 40> a;
  std::array<float, 40> b;
  std::array<float, 40> sum{};
  for (size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<float>(i);
  const std::array<void*, 3> buffers = {a.data(), b.data(), sum.data()};
  const KernelFunction function = jit.Find(name);
  ASSERT_NE(function, nullptr);
  function(buffers.data(), 1, 39);
  EXPECT_EQ(sum[0], 0);
  EXPECT_EQ(sum[38], 76);
  EXPECT_EQ(sum[39], 0);
}

TEST(JitTest, CompilesEachUnitOnce) {
  auto jit = Jit::Create({});
  ASSERT_TRUE(jit.ok());
  const std::vector<JitUnit> units = {UnitNamed("first"), UnitNamed("second"), UnitNamed("first")};
  const auto counts = (*jit)->Compile(units);
  ASSERT_TRUE(counts.ok()) << counts.error().message;
  EXPECT_EQ(counts->units, 2);
  EXPECT_EQ(counts->compiled, 2);
  ExpectAdds(**jit, "first");
  ExpectAdds(**jit, "second");
  EXPECT_EQ((*jit)->Find("third"), nullptr);
  const auto again = (*jit)->Compile(units);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->units, 0);
}

}  // namespace
}  // namespace halo
