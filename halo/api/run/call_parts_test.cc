// Tests that a library call whose operands or results are not those of its target is refused with a
// reason: every known target, with parts that are missing, tuples, tokens, or of another rank.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/eval/calls/known_calls.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

using testing::HasSubstr;

constexpr std::string_view kGemm =
    R"(backend_config={"alpha_real":1,"beta":0,"dot_dimension_numbers":)"
    R"({"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],)"
    R"("lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"epilogue":"DEFAULT"})";
constexpr std::string_view kConvolution =
    "window={size=1x1}, dim_labels=b01f_01io->b01f, backend_config={}";

// A module of one call. Operands that are arrays are parameters, others are made.
std::string CallText(std::string_view target, std::string_view operand, size_t count,
                     std::string_view result, std::string_view attributes) {
  std::string text = "HloModule m\nENTRY e {\n  a = f32[2,2] parameter(0)\n";
  if (operand == "tuple") text += "  t = (f32[2,2], f32[2,2]) tuple(a, a)\n";
  if (operand == "empty") text += "  t = () tuple()\n";
  if (operand == "token") text += "  t = token[] after-all()\n";
  if (operand == "scalar") text += "  t = f32[] constant(1)\n";
  if (operand == "integers") text += "  t = s32[3] constant({1, 2, 3})\n";
  text += "  ROOT r = " + std::string(result) + " custom-call(";
  for (size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + std::string(operand == "matrix" ? "a" : "t");
  }
  text += "), custom_call_target=\"" + std::string(target) + "\"";
  if (!attributes.empty()) text += ", " + std::string(attributes);
  return text + "\n}\n";
}

Result<EvalOutput> EvaluateCall(const std::string& text) {
  const TextReadResult read = ReadHloText(text);
  EXPECT_TRUE(read.diagnostics.ok()) << text;
  const Dims dims = {2, 2};
  return Evaluate(read.module, {{Value(MakeRandomInput(ElementType::kF32, dims, {}))}});
}

std::string WhyRefused(const std::string& text) {
  const Result<EvalOutput> output = EvaluateCall(text);
  return output ? "accepted" : output.error().message;
}

TEST(CallParts, ResultsThatAreNotDeclaredAreNamed) {
  EXPECT_THAT(WhyRefused(CallText("__cublas$gemm", "matrix", 2, "()", kGemm)),
              HasSubstr("__cublas$gemm: needs a result 0, but declares ()"));
  EXPECT_THAT(WhyRefused(CallText("PadToStatic", "matrix", 1, "()", "")),
              HasSubstr("PadToStatic: needs a result 0, but declares ()"));
  EXPECT_THAT(WhyRefused("HloModule m\nENTRY e {\n  a = f32[2,2] parameter(0)\n"
                         "  b = f32[2,2,1,1] reshape(a)\n  ROOT r = () custom-call(b, b), "
                         "custom_call_target=\"__cudnn$convForward\", " +
                         std::string(kConvolution) + "\n}\n"),
              HasSubstr("__cudnn$convForward: needs a result 0, but declares ()"));
  EXPECT_THAT(WhyRefused(CallText("cu_lu_pivots_to_permutation", "integers", 1, "()", "")),
              HasSubstr("yields 1 results"));
}

// oneDNN's products are of floats; the engines would convert others differently.
TEST(CallParts, OneDnnMultipliesFloats) {
  const std::string text =
      "HloModule m\nENTRY e {\n  a = f32[2,2] parameter(0)\n  b = s32[2,2] convert(a)\n"
      "  c = u64[2,2] convert(a)\n  ROOT r = s32[2,2] custom-call(b, c), "
      "custom_call_target=\"__onednn$matmul\", backend_config={}\n}\n";
  EXPECT_THAT(WhyRefused(text), HasSubstr("multiplies floats only"));
}

TEST(CallParts, EveryTargetAnswersOrRefuses) {
  int runs = 0;
  int refused = 0;
  for (const std::string& target : KnownCustomCalls().Targets()) {
    for (const char* result : {"()", "f32[2,2]", "(f32[2,2], ())", "token[]",
                               "(f32[2], f32[2,2,2,2], s32[1], s8[0], token[])"}) {
      for (const char* operand : {"matrix", "tuple", "token", "scalar"}) {
        for (const size_t count : {0, 1, 2, 4, 10}) {
          ++runs;
          refused += !EvaluateCall(CallText(target, operand, count, result, kGemm)).ok();
        }
      }
    }
  }
  EXPECT_GT(runs, 10'000);
  EXPECT_GT(refused, runs / 2);
}

}  // namespace
}  // namespace halo
