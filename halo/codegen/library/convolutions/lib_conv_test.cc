// Checks convolutions against the evaluator, with many generated windows, labels, groups and types.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"
#include "halo/eval/context/window_walk.h"

namespace halo {
namespace {

class ConvMaker {
 public:
  explicit ConvMaker(uint64_t seed) : random_(seed) {}

  enum Form { kAny, kForward, kBackToInput, kBackToFilter, kBatchGroups, kFormCount };

  // Empty if the generated convolution has an empty result.
  std::string Make(const std::string& type, const std::string& result_type, Form form) {
    const int64_t rank = 1 + Pick(form == kAny ? 3 : 2);
    const int64_t groups = form == kBackToFilter || Pick(3) != 0 ? 1 : 1 + Pick(4);
    const int64_t batch_groups = form == kBatchGroups && groups == 1 ? 2 : 1;
    const int64_t channels = 1 + Pick(20);
    const int64_t features = groups * batch_groups * (1 + Pick(20));
    Window window;
    window.dims.resize(static_cast<size_t>(rank));
    std::vector<int64_t> space;
    std::vector<int64_t> placements;
    for (WindowDim& dim : window.dims) {
      space.push_back(1 + Pick(9));
      dim.size = form == kBackToFilter ? std::max<int64_t>(1, space.back() - Pick(2)) : 1 + Pick(3);
      dim.stride = form == kBackToInput ? 1 : 1 + Pick(2);
      dim.pad_low = Pick(3) - (form == kAny ? 1 : 0);
      dim.pad_high = Pick(3) - (form == kAny ? 1 : 0);
      dim.lhs_dilate = form == kBackToInput || (form == kAny && Pick(2) == 0) ? 1 + Pick(3) : 1;
      dim.rhs_dilate = Pick(3) == 0 ? 2 : 1;
      dim.reversal = form != kBackToFilter && Pick(3) == 0;
      placements.push_back(WindowPlacements(dim, space.back()));
      if (placements.back() <= 0) return {};
    }
    const std::string input = Labels("bf", rank);
    const std::string kernel = Labels("io", rank);
    const std::string output = Labels("bf", rank);
    const int64_t batch = batch_groups * (1 + Pick(3));
    const auto dims = [&](const std::string& names, int64_t first, int64_t second,
                          const std::vector<int64_t>& spatial) {
      std::vector<int64_t> out;
      for (const char name : names) {
        out.push_back(name == 'b' || name == 'i'   ? first
                      : name == 'f' || name == 'o' ? second
                                                   : spatial[static_cast<size_t>(name - '0')]);
      }
      return out;
    };
    std::vector<int64_t> taps;
    for (const WindowDim& dim : window.dims) taps.push_back(dim.size);
    return "HloModule m\nENTRY e {\n x = " + type +
           Shape(dims(input, batch, channels * groups, space)) + " parameter(0)\n w = " + type +
           Shape(dims(kernel, channels, features, taps)) +
           " parameter(1)\n ROOT r = " + result_type +
           Shape(dims(output, batch / batch_groups, features, placements)) +
           " convolution(x, w), window={" + Text(window) + "}, dim_labels=" + input + "_" + kernel +
           "->" + output + ", feature_group_count=" + std::to_string(groups) +
           ", batch_group_count=" + std::to_string(batch_groups) + "\n}\n";
  }

 private:
  int64_t Pick(int64_t below) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(below));
  }
  std::string Labels(const std::string& two, int64_t rank) {
    std::string names = two;
    for (int64_t i = 0; i < rank; ++i) names += static_cast<char>('0' + i);
    std::shuffle(names.begin(), names.end(), random_);
    return names;
  }
  std::string Shape(const std::vector<int64_t>& dims) {
    std::string text;
    std::vector<int64_t> order;
    for (const int64_t dim : dims) {
      text += (text.empty() ? "[" : ",") + std::to_string(dim);
      order.push_back(static_cast<int64_t>(order.size()));
    }
    std::shuffle(order.begin(), order.end(), random_);
    std::string layout;
    for (const int64_t dim : order) layout += (layout.empty() ? "{" : ",") + std::to_string(dim);
    return text + "]" + layout + "}";
  }
  static std::string Text(const Window& window) {
    std::string size, stride, pad, lhs, rhs, reversal;
    for (const WindowDim& dim : window.dims) {
      const std::string x = size.empty() ? "" : "x";
      size += x + std::to_string(dim.size);
      stride += x + std::to_string(dim.stride);
      pad += x + std::to_string(dim.pad_low) + "_" + std::to_string(dim.pad_high);
      lhs += x + std::to_string(dim.lhs_dilate);
      rhs += x + std::to_string(dim.rhs_dilate);
      reversal += x + (dim.reversal ? "1" : "0");
    }
    return "size=" + size + " stride=" + stride + " pad=" + pad + " lhs_dilate=" + lhs +
           " rhs_dilate=" + rhs + " rhs_reversal=" + reversal;
  }

  std::mt19937_64 random_;
};

TEST(LibConvTest, AgreesWithTheEvaluator) {
  struct TypeCase {
    const char *type, *result;
    double tolerance;
    int rounds;
  };
  uint64_t seed = 0;
  for (const TypeCase& types :
       {TypeCase{"f32", "f32", 2e-6, 60}, TypeCase{"bf16", "bf16", 5e-3, 30},
        TypeCase{"bf16", "f32", 2e-6, 10}, TypeCase{"f16", "f16", 1e-3, 10},
        TypeCase{"f64", "f64", 1e-13, 10}, TypeCase{"s32", "s32", 0, 10},
        TypeCase{"c64", "c64", 2e-6, 10}, TypeCase{"s8", "s32", 0, 10}}) {
    for (int form = 0; form < ConvMaker::kFormCount; ++form) {
      for (int i = 0; i < types.rounds; ++i) {
        const std::string text =
            ConvMaker(++seed).Make(types.type, types.result, static_cast<ConvMaker::Form>(form));
        if (text.empty()) continue;
        EXPECT_EQ(CheckLibraryOp(text, {.seed = seed, .tolerance = types.tolerance}), "") << text;
      }
    }
  }
}

TEST(LibConvTest, CudnnCalls) {
  const std::string window =
      ", window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f";
  const std::string config = ", backend_config={\"cudnn_conv_backend_config\":{";
  const auto check = [](const std::string& operands, const std::string& result,
                        const std::string& names, const std::string& target,
                        const std::string& rest) {
    const std::string text = "HloModule m\nENTRY e {\n" + operands + " ROOT r = (" + result +
                             ", u8[16]) custom-call(" + names + "), custom_call_target=\"__cudnn$" +
                             target + "\"" + rest + "}\n}\n";
    EXPECT_EQ(CheckLibraryOp(text, {.seed = 8, .tolerance = 2e-6}), "") << text;
  };
  const std::string x = " x = f32[2,11,9,20] parameter(";
  const std::string w = " w = f32[12,3,3,10] parameter(";
  const std::string y = " y = f32[2,6,5,12] parameter(";
  const std::string grouped = window + ", feature_group_count=2" + config;
  for (const char* scale : {"1", "0.5"}) {
    const std::string rest = grouped + "\"conv_result_scale\":" + scale + "}";
    check(x + "0)\n" + w + "1)\n", "f32[2,6,5,12]", "x, w", "convForward", rest);
    check(y + "0)\n" + w + "1)\n", "f32[2,11,9,20]", "y, w", "convBackwardInput", rest);
    check(x + "0)\n" + y + "1)\n", "f32[12,3,3,10]", "x, y", "convBackwardFilter", rest);
  }
  for (const char* mode : {"kNone", "kRelu", "kElu", "kLeakyRelu", "kTanh"}) {
    const std::string rest = grouped + "\"conv_result_scale\":2,\"side_input_scale\":0.25," +
                             "\"leakyrelu_alpha\":0.1,\"activation_mode\":\"" + mode + "\"}";
    check(x + "0)\n" + w + "1)\n b = f32[12] parameter(2)\n s = f32[2,6,5,12] parameter(3)\n",
          "f32[2,6,5,12]{1,2,3,0}", "x, w, b, s", "convBiasActivationForward", rest);
  }
}

}  // namespace
}  // namespace halo
