// Checks sorts with every recognized comparator against the evaluator, bit for bit, on rows with
// NaNs of both signs, zeros of both signs, infinities and repeated values.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

bool IsFloat(const std::string& type) { return type[0] == 'f' || type[0] == 'b'; }

std::string BitsType(const std::string& type) {
  return "s" + type.substr(type.find_first_of("0123456789"));
}
std::string Greatest(const std::string& type) {
  if (type == "f64") return "9223372036854775807";
  return type == "f32" ? "2147483647" : "32767";
}

// JAX's comparator: unifies zeros and NaNs, then compares the bits as ordered integers.
std::string JaxComparator(const std::string& type, const std::string& direction, bool expanded) {
  std::string text = "less {\n a = " + type + "[] parameter(0)\n b = " + type +
                     "[] parameter(1)\n zero = " + type + "[] constant(0)\n nan = " + type +
                     "[] constant(nan)\n";
  for (const std::string x : {"a", "b"}) {
    text += " " + x + "ne = pred[] compare(" + x + ", " + x + "), direction=NE\n " + x +
            "eq = pred[] compare(" + x + ", zero), direction=EQ\n " + x + "z = " + type +
            "[] select(" + x + "eq, zero, " + x + ")\n " + x + "n = " + type + "[] select(" + x +
            "ne, nan, " + x + "z)\n";
  }
  if (!expanded) {
    return text + " ROOT r = pred[] compare(an, bn), direction=" + direction +
           ", type=TOTALORDER\n}\n";
  }
  const std::string bits = BitsType(type);
  text += " izero = " + bits + "[] constant(0)\n most = " + bits + "[] constant(" + Greatest(type) +
          ")\n";
  for (const std::string x : {"a", "b"}) {
    text += " " + x + "i = " + bits + "[] bitcast-convert(" + x + "n)\n " + x + "x = " + bits +
            "[] xor(most, " + x + "i)\n " + x + "lt = pred[] compare(" + x +
            "i, izero), direction=LT\n " + x + "o = " + bits + "[] select(" + x + "lt, " + x +
            "x, " + x + "i)\n";
  }
  return text + " ROOT r = pred[] compare(ao, bo), direction=" + direction + "\n}\n";
}

std::string PlainComparator(const std::string& type, const std::string& direction, bool total) {
  return "less {\n a = " + type + "[] parameter(0)\n b = " + type +
         "[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=" + direction +
         (total ? ", type=TOTALORDER" : "") + "\n}\n";
}

std::string SortText(const std::string& comparator, const std::string& shape, int dim) {
  return "HloModule m\n" + comparator + "ENTRY e {\n x = " + shape +
         " parameter(0)\n ROOT r = " + shape + " sort(x), dimensions={" + std::to_string(dim) +
         "}, is_stable=true, to_apply=less\n}\n";
}

// Few distinct values, so that many are equal; every tenth one is special if `specials`.
std::function<void(std::vector<Array>&)> Rough(bool specials) {
  return [specials](std::vector<Array>& inputs) {
    for (Array& input : inputs) {
      if (InfoOf(input.type()).klass != ElementClass::kFloat) continue;
      uint8_t* bytes = input.MutableBytes();
      for (int64_t i = 0; i < input.count(); ++i) {
        uint8_t* at = bytes + static_cast<size_t>(i) * input.element_bytes();
        const double value = LoadFloat(input.type(), at);
        double rough = std::round(value * 8) / 8;
        if (specials && i % 10 == 3) rough = i % 20 == 3 ? NAN : -NAN;
        if (specials && i % 10 == 7) rough = i % 20 == 7 ? INFINITY : -INFINITY;
        if (i % 10 == 5) rough = i % 20 == 5 ? 0.0 : -0.0;
        StoreFloat(input.type(), rough, at);
      }
    }
  };
}

TEST(LibSortTest, OneOperand) {
  uint64_t seed = 0;
  for (const std::string type :
       {"f32", "bf16", "f16", "f64", "s32", "u32", "s64", "u8", "s8", "u16", "s4", "pred"}) {
    std::vector<std::string> comparators;
    for (const char* direction : {"LT", "GT"}) {
      comparators.push_back(PlainComparator(type, direction, false));
      if (!IsFloat(type)) continue;
      comparators.push_back(PlainComparator(type, direction, true));
      comparators.push_back(JaxComparator(type, direction, false));
      comparators.push_back(JaxComparator(type, direction, true));
    }
    for (const std::string& comparator : comparators) {
      for (const bool specials : {false, true}) {
        const LibraryCheck check = {.seed = ++seed, .prepare = Rough(specials)};
        for (const char* dims : {"[1000]", "[7]", "[1]", "[3,65,5]{1,2,0}", "[40,33]{0,1}"}) {
          const std::string text =
              SortText(comparator, type + dims, std::string(dims).size() > 7 ? 1 : 0);
          EXPECT_EQ(CheckLibraryOp(text, check), "") << text << specials;
        }
      }
    }
  }
}

// Such comparators are no order. The evaluator's merge sort defines what they sort to.
TEST(LibSortTest, ComparatorsThatAreNoOrder) {
  uint64_t seed = 500;
  for (const std::string type : {"f32", "bf16", "f64", "s32", "u8", "pred", "f8e5m2"}) {
    for (const char* direction : {"LE", "GE", "EQ", "NE"}) {
      for (const bool total : {false, true}) {
        if (total && !IsFloat(type)) continue;
        const LibraryCheck check = {.seed = ++seed, .prepare = Rough(true)};
        for (const char* dims : {"[100]", "[1]", "[3,65,5]{1,2,0}"}) {
          const std::string text = SortText(PlainComparator(type, direction, total), type + dims,
                                            std::string(dims).size() > 7 ? 1 : 0);
          EXPECT_EQ(CheckLibraryOp(text, check), "") << text;
        }
      }
    }
  }
}

TEST(LibSortTest, SmallFloats) {
  uint64_t seed = 800;
  for (const std::string type : {"f8e5m2", "f8e4m3fn", "f8e4m3b11fnuz", "f8e5m2fnuz"}) {
    for (const char* direction : {"LT", "GT"}) {
      for (const bool total : {false, true}) {
        for (const bool specials : {false, true}) {
          const LibraryCheck check = {.seed = ++seed, .prepare = Rough(specials)};
          const std::string text =
              SortText(PlainComparator(type, direction, total), type + "[300]", 0);
          EXPECT_EQ(CheckLibraryOp(text, check), "") << text << specials;
        }
      }
    }
    const std::string top = "HloModule m\nENTRY e {\n x = " + type +
                            "[5,40] parameter(0)\n ROOT r = (" + type +
                            "[5,7], s32[5,7]) topk(x), k=7, largest=true\n}\n";
    EXPECT_EQ(CheckLibraryOp(top, {.seed = ++seed, .prepare = Rough(true)}), "") << top;
  }
}

// Rows of several blocks, in which equal elements and good ones at the end are frequent.
TEST(LibSortTest, TopOfLongRows) {
  uint64_t seed = 0;
  for (const std::string type :
       {"f32", "bf16", "f16", "f64", "s32", "u16", "s64", "s8", "f8e4m3fn"}) {
    for (const std::string layout : {"{1,0}", "{0,1}"}) {
      for (const std::string length : {"64", "511", "1537"}) {
        for (const std::string largest : {"true", "false"}) {
          const std::string text = "HloModule m\nENTRY e {\n x = " + type + "[3," + length + "]" +
                                   layout + " parameter(0)\n ROOT r = (" + type +
                                   "[3,11], s32[3,11]) topk(x), k=11, largest=" + largest + "\n}\n";
          EXPECT_EQ(CheckLibraryOp(text, {.seed = ++seed, .prepare = Rough(true)}), "") << text;
        }
      }
    }
  }
}

TEST(LibSortTest, ManyOnAllThreads) {
  for (const char* type : {"f32", "u64", "bf16"}) {
    const std::string text =
        SortText(PlainComparator(type, "LT", false), std::string(type) + "[200001]", 0);
    EXPECT_EQ(CheckLibraryOp(text, {.seed = 3, .prepare = Rough(false)}), "") << text;
  }
}

TEST(LibSortTest, ManyOfSixteenBits) {
  for (const std::string type : {"bf16", "f16", "s16", "u16"}) {
    for (const char* dims : {"[1024]", "[65537]", "[3,2000]"}) {
      for (const bool specials : {false, true}) {
        const std::string text = SortText(PlainComparator(type, "GT", IsFloat(type)), type + dims,
                                          std::string(dims).size() > 7 ? 1 : 0);
        EXPECT_EQ(CheckLibraryOp(text, {.seed = 4, .prepare = Rough(specials)}), "") << text;
      }
    }
  }
}

TEST(LibSortTest, SeveralOperandsInPlace) {
  for (const std::string type : {"f32", "bf16", "s64", "f64"}) {
    for (const std::string dims : {"[130000]", "[50,40]{0,1}", "[4096,2]", "[300,9]"}) {
      for (const bool specials : {false, true}) {
        const std::string dim = dims == "[130000]" ? "0" : "1";
        const std::string text =
            "HloModule m\nless {\n a = " + type + "[] parameter(0)\n b = " + type +
            "[] parameter(1)\n c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
            " ROOT r = pred[] compare(b, a), direction=GT\n}\nENTRY e {\n x = " +
            type + dims + " parameter(0)\n y = s32" + dims + " parameter(1)\n ROOT r = (" + type +
            dims + ", s32" + dims + ") sort(x, y), dimensions={" + dim +
            "}, is_stable=true, to_apply=less\n}\n";
        EXPECT_EQ(CheckLibraryOp(text, {.seed = 9,
                                        .prepare = Rough(specials),
                                        .result_over_operand = std::pair<size_t, size_t>(0, 0)}),
                  "")
            << text;
      }
    }
  }
}

TEST(LibSortTest, SeveralKeys) {
  const std::string head =
      "HloModule m\nless {\n a = bf16[] parameter(0)\n b = bf16[] parameter(1)\n"
      " c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
      " lt = pred[] compare(c, d), direction=LT\n gt = pred[] compare(a, b), direction=GT\n";
  const std::string tail =
      "}\nENTRY e {\n x = bf16[90,13] parameter(0)\n y = s32[90,13]{0,1} parameter(1)\n"
      " ROOT r = (bf16[90,13], s32[90,13]) sort(x, y), dimensions={1}, to_apply=less\n}\n";
  for (const char* body : {" eq = pred[] compare(a, b), direction=EQ, type=TOTALORDER\n"
                           " ROOT r = pred[] select(eq, lt, gt)\n",
                           " eq = pred[] compare(a, b), direction=EQ\n and = pred[] and(eq, lt)\n"
                           " ROOT r = pred[] or(gt, and)\n"}) {
    for (const bool specials : {false, true}) {
      EXPECT_EQ(CheckLibraryOp(head + body + tail, {.seed = 4, .prepare = Rough(specials)}), "")
          << body << specials;
    }
  }
}

TEST(LibSortTest, OtherComparatorsAreLeftAlone) {
  const std::string text = SortText(
      "less {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n m = s32[] multiply(a, a)\n"
      " ROOT r = pred[] compare(m, b), direction=LT\n}\n",
      "s32[5]", 0);
  EXPECT_EQ(CheckLibraryOp(text), "no library op");
}

}  // namespace
}  // namespace halo
