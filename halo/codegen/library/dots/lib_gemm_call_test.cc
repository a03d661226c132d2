// Checks library GEMM calls, with their scalars, addends and epilogues, against the evaluator.
#include <string>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

struct Call {
  std::string target = "__cublas$lt$matmul";
  std::string operands;  // "f32[4,8]", one per line
  std::string result;
  std::string config;
};

std::string TextOf(const Call& call) {
  std::string text = "HloModule m\nENTRY e {\n";
  std::string names;
  int number = 0;
  for (size_t at = 0; at < call.operands.size();) {
    const size_t end = call.operands.find(';', at);
    const std::string name = "p" + std::to_string(number);
    text += " " + name + " = " + call.operands.substr(at, end - at) + " parameter(" +
            std::to_string(number++) + ")\n";
    names += (names.empty() ? "" : ", ") + name;
    at = end == std::string::npos ? call.operands.size() : end + 1;
  }
  return text + " ROOT r = " + call.result + " custom-call(" + names + "), custom_call_target=\"" +
         call.target + "\", backend_config={\"gemm_backend_config\":{" + call.config + "}}\n}\n";
}

constexpr const char* kPlain =
    "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
    "\"rhs_contracting_dimensions\":[\"0\"],\"lhs_batch_dimensions\":[],"
    "\"rhs_batch_dimensions\":[]}";
constexpr const char* kBatched =
    "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"2\"],"
    "\"rhs_contracting_dimensions\":[\"1\"],\"lhs_batch_dimensions\":[\"0\"],"
    "\"rhs_batch_dimensions\":[\"0\"]}";

std::string Config(const std::string& dims, const std::string& alpha, const std::string& beta,
                   const std::string& epilogue, const std::string& more = "") {
  return dims + ",\"alpha_real\":" + alpha + ",\"alpha_imag\":0,\"beta\":" + beta +
         ",\"epilogue\":\"" + epilogue + "\"" + more;
}

TEST(LibGemmCallTest, AddsInPlaceAndBesides) {
  for (const char* type : {"f32", "bf16", "f16", "f64"}) {
    const std::string t = type;
    const double tolerance = t == "bf16" ? 4e-3 : t == "f16" ? 1e-3 : t == "f64" ? 1e-14 : 2e-6;
    for (const char* layout : {"{1,0}", "{0,1}"}) {
      for (const char* alpha : {"1", "0.03125"}) {
        for (const int rows : {2, 33}) {
          const std::string m = std::to_string(rows);
          const std::string result = t + "[" + m + ",40]" + layout;
          const std::string call =
              TextOf({.operands = t + "[" + m + ",64];" + t + "[64,40]" + layout + ";" + result,
                      .result = "(" + result + ", s8[100])",
                      .config = Config(kPlain, alpha, "1", "DEFAULT")});
          EXPECT_EQ(CheckLibraryOp(call, {.seed = 3, .tolerance = tolerance}), "") << call;
          EXPECT_EQ(CheckLibraryOp(call, {.seed = 3,
                                          .tolerance = tolerance,
                                          .result_over_operand = std::pair<size_t, size_t>(0, 2)}),
                    "")
              << call;
        }
      }
    }
  }
}

TEST(LibGemmCallTest, Epilogues) {
  for (const char* epilogue : {"DEFAULT", "BIAS", "RELU", "BIAS_RELU", "GELU", "BIAS_GELU",
                               "GELU_AUX", "BIAS_GELU_AUX", "SILU", "BIAS_SILU"}) {
    const std::string name = epilogue;
    for (const char* layout : {"{1,0}", "{0,1}"}) {
      for (const char* beta : {"0", "0.5"}) {
        for (const char* type : {"f32", "bf16", "f64"}) {
          const std::string t = type;
          const std::string result = t + "[33,40]" + layout;
          std::string operands = t + "[33,64]{0,1};" + t + "[64,40]";
          if (std::string(beta) != "0") operands += ";" + t + "[33,40]";
          if (name.starts_with("BIAS")) operands += ";" + t + "[40]";
          std::string results = result;
          if (name.ends_with("_AUX")) results += ", " + t + "[33,40]{1,0}";
          const std::string call = TextOf({.operands = operands,
                                           .result = "(" + results + ", s8[64])",
                                           .config = Config(kPlain, "1", beta, name)});
          const double tolerance = t == "bf16" ? 4e-3 : t == "f64" ? 1e-14 : 2e-6;
          EXPECT_EQ(CheckLibraryOp(call, {.seed = 5, .tolerance = tolerance}), "") << call;
        }
      }
    }
  }
}

// An operand without the other's batch dimensions is used for each of its matrices.
TEST(LibGemmCallTest, RepeatsAnOperand) {
  const std::string lhs =
      "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
      "\"rhs_contracting_dimensions\":[\"2\"],\"lhs_batch_dimensions\":[],"
      "\"rhs_batch_dimensions\":[\"0\"]}";
  const std::string rhs =
      "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"2\"],"
      "\"rhs_contracting_dimensions\":[\"0\"],\"lhs_batch_dimensions\":[\"0\",\"1\"],"
      "\"rhs_batch_dimensions\":[]}";
  for (const char* type : {"f32", "bf16", "f16", "f64", "s32", "c64"}) {
    const std::string t = type;
    const double tolerance = t == "bf16" ? 4e-3 : t == "f16" ? 1e-3 : t == "f64" ? 1e-14 : 2e-6;
    for (const int size : {8, 72}) {
      const std::string n = std::to_string(size);
      const std::string left = TextOf({.operands = t + "[" + n + ",24];" + t + "[4,40,24]",
                                       .result = "(" + t + "[4," + n + ",40], s8[4])",
                                       .config = Config(lhs, "1", "0", "DEFAULT")});
      EXPECT_EQ(CheckLibraryOp(left, {.seed = 1, .tolerance = tolerance}), "") << left;
      const std::string right =
          TextOf({.operands = t + "[3,2,24," + n + "]{2,3,1,0};" + t + "[24,40]",
                  .result = "(" + t + "[3,2," + n + ",40], s8[4])",
                  .config = Config(rhs, "1", "0", "DEFAULT")});
      EXPECT_EQ(CheckLibraryOp(right, {.seed = 1, .tolerance = tolerance}), "") << right;
    }
  }
}

TEST(LibGemmCallTest, BatchesScalesAndOtherTypes) {
  const std::string batched = TextOf({.target = "__cublas$gemm",
                                      .operands = "bf16[6,24,16]{1,2,0};bf16[6,16,40]{1,2,0}",
                                      .result = "bf16[6,24,40]{2,1,0}",
                                      .config = Config(kBatched, "1", "0", "DEFAULT")});
  EXPECT_EQ(CheckLibraryOp(batched, {.seed = 1, .tolerance = 4e-3}), "");
  const std::string complex = TextOf({.operands = "c64[9,16];c64[16,20];c64[9,20]",
                                      .result = "(c64[9,20], s8[8])",
                                      .config = Config(kPlain, "2", "1", "DEFAULT")});
  EXPECT_EQ(CheckLibraryOp(complex, {.seed = 1, .tolerance = 2e-6}), "");
  const std::string integers = TextOf({.target = "__cublas$gemm",
                                       .operands = "s8[9,16];s8[16,20]{0,1}",
                                       .result = "s32[9,20]",
                                       .config = Config(kPlain, "1", "0", "DEFAULT")});
  EXPECT_EQ(CheckLibraryOp(integers, {.seed = 1}), "");
  const std::string fp8 =
      TextOf({.target = "__cublas$lt$matmul$f8",
              .operands = "f8e4m3fn[16,32];f8e4m3fn[32,48]{0,1};f32[];f32[];bf16[48];f32[]",
              .result = "(f8e4m3fn[16,48], f32[], s8[4])",
              .config = Config(kPlain, "1", "0", "BIAS_RELU", ",\"damax_output\":true")});
  EXPECT_EQ(CheckLibraryOp(fp8, {.seed = 1, .tolerance = 0.07}), "");
  const std::string onednn =
      "HloModule m\nENTRY e {\n a = f32[3,8,16] parameter(0)\n b = f32[3,20,16] parameter(1)\n"
      " ROOT r = f32[3,8,20] custom-call(a, b), custom_call_target=\"__onednn$matmul\","
      " backend_config={\"onednn_matmul_config\":{\"transpose_b\":true}}\n}\n";
  EXPECT_EQ(CheckLibraryOp(onednn, {.seed = 1, .tolerance = 2e-6}), "");
  for (const char* op : {"RELU", "TANH", "GELU_ERF", "GELU_TANH", "ELU", "SIGMOID", "SWISH"}) {
    const std::string fused =
        "HloModule m\nENTRY e {\n a = f32[8,16] parameter(0)\n b = f32[16,20] parameter(1)\n"
        " c = f32[20] parameter(2)\n d = f32[8,1] parameter(3)\n ROOT r = f32[8,20] "
        "custom-call(a, b, c, d), custom_call_target=\"__onednn$matmul\", backend_config="
        "{\"onednn_matmul_config\":{\"fusions\":{\"ops\":[\"LINEAR\",\"BIAS\",\"" +
        std::string(op) + "\",\"BINARY_ADD\"],\"alpha\":[0.5]}}}\n}\n";
    EXPECT_EQ(CheckLibraryOp(fused, {.seed = 1, .tolerance = 2e-6}), "") << fused;
  }
}

}  // namespace
}  // namespace halo
