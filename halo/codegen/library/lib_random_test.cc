// Random bits and top-k of rows must be identical to the evaluator's.
#include <string>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

TEST(LibRandomTest, BitGenerators) {
  for (const char* algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    for (const std::string state : {"u64[2]", "u64[3]"}) {
      for (const char* bits : {"u32[1000]", "u32[7,9]", "u32[3,4,5]", "u64[77]", "s16[5,6]",
                               "u8[33]", "f32[10001]", "u32[]", "u32[0]"}) {
        // With the new state and, as XLA's TPU compiler writes it, without.
        for (const std::string& result : {"(" + state + ", " + bits + ")", std::string(bits)}) {
          const std::string text = "HloModule m\nENTRY e {\n s = " + state +
                                   " parameter(0)\n ROOT r = " + result +
                                   " rng-bit-generator(s), algorithm=" + algorithm + "\n}\n";
          EXPECT_EQ(CheckLibraryOp(text, {.seed = 3}), "") << text;
          // A counter that overflows.
          const auto near_the_end = [](std::vector<Array>& inputs) {
            inputs[0].Mutable<uint64_t>()[1] = ~uint64_t{0} - 5;
          };
          EXPECT_EQ(CheckLibraryOp(text, {.seed = 3, .prepare = near_the_end}), "") << text;
        }
      }
    }
  }
}

TEST(LibRandomTest, ThreefryCall) {
  for (const std::string keys : {"u32[]", "u32[10,1003]"}) {
    const std::string text =
        "HloModule m\nENTRY e {\n a = " + keys + " parameter(0)\n b = " + keys +
        " parameter(1)\n c = u32[10,1003] parameter(2)\n d = u32[10,1003] parameter(3)\n"
        " ROOT r = (u32[10,1003], u32[10,1003]) custom-call(a, b, c, d), "
        "custom_call_target=\"cuda_threefry2x32\"\n}\n";
    EXPECT_EQ(CheckLibraryOp(text, {.seed = 5}), "") << text;
  }
}

TEST(LibTopKTest, AgreesWithTheEvaluator) {
  for (const std::string type : {"f32", "bf16", "f64", "s32", "u8", "s64"}) {
    for (const char* k : {"1", "8", "700"}) {
      const std::string shape = std::string("[9,1500]{0,1}");
      const std::string result = "[9," + std::string(k) + "]";
      for (const char* largest : {"true", "false"}) {
        const std::string text = "HloModule m\nENTRY e {\n x = " + type + shape +
                                 " parameter(0)\n ROOT r = (" + type + result + ", s32" + result +
                                 ") topk(x), k=" + k + ", largest=" + largest + "\n}\n";
        EXPECT_EQ(CheckLibraryOp(text, {.seed = 2}), "") << text;
      }
      const std::string call = "HloModule m\nENTRY e {\n x = " + type + shape +
                               " parameter(0)\n ROOT r = (" + type + result + ", s32" + result +
                               ") custom-call(x), custom_call_target=\"TopK\"\n}\n";
      EXPECT_EQ(CheckLibraryOp(call, {.seed = 2}), "") << call;
    }
  }
}

}  // namespace
}  // namespace halo
