// Decodes and encodes every code of the 4-, 6- and 8-bit floats and of f16 and bf16, and compares
// with ml_dtypes 0.6.0. Its results are stored as checksums; the spot checks show where to look
// when one differs.
#include "halo/ir/types/numeric.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

class Fnv {
 public:
  void Byte(uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001B3ull; }
  void Float(float value) {
    const uint32_t bits = std::isnan(value) ? 0x7FC00000u : std::bit_cast<uint32_t>(value);
    for (int i = 0; i < 4; ++i) Byte(static_cast<uint8_t>(bits >> (8 * i)));
  }
  [[nodiscard]] uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_ = 0xCBF29CE484222325ull;
};

struct Expected {
  ElementType type;
  uint32_t codes;
  uint64_t decoded;
  uint64_t encoded;
};

const Expected kSmall[] = {
    {ElementType::kF4E2M1FN, 16, 0x2403bb76b85dfea5, 0x42844cf844c9ee73},
    {ElementType::kF6E2M3FN, 64, 0x7ffacb24ad8b0aa5, 0xcee42231560c70fb},
    {ElementType::kF6E3M2FN, 64, 0x25da13434201d785, 0xcee42231560c70fb},
    {ElementType::kF8E3M4, 256, 0xf47936f19e549625, 0x2769c0626e3bac55},
    {ElementType::kF8E4M3, 256, 0x225eaf4799a27e65, 0x6585d2d45aac85c5},
    {ElementType::kF8E4M3FN, 256, 0xdad1d9c50f749ca5, 0xbd3a6a9b276a9239},
    {ElementType::kF8E4M3B11FNUZ, 256, 0xd90d7a600530d158, 0x37776e4dfa40b435},
    {ElementType::kF8E4M3FNUZ, 256, 0xf51851cb11c63018, 0x37776e4dfa40b435},
    {ElementType::kF8E5M2, 256, 0x6c1e56b6fb09c905, 0x3dbcd9aba605b05d},
    {ElementType::kF8E5M2FNUZ, 256, 0x94ae6fc493d49818, 0x37776e4dfa40b435},
    {ElementType::kF8E8M0FNU, 256, 0x6d2c8b41c3f0e5a5, 0xb271b71e0b17aff},
};

float Decoded(ElementType type, uint64_t bits) {
  return static_cast<float>(DecodeFloat(type, bits));
}

// Midpoints between neighbors, values just off them, and values beyond the largest.
std::vector<float> Awkward(ElementType type, uint32_t codes) {
  std::vector<float> values;
  for (uint32_t code = 0; code < codes; ++code) {
    const float value = Decoded(type, code);
    if (std::isfinite(value) && value >= 0) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<float> tests;
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    const auto middle = static_cast<float>(
        (static_cast<double>(values[i]) + static_cast<double>(values[i + 1])) / 2);
    tests.push_back(middle);
    tests.push_back(std::nextafter(middle, 0.0F));
    tests.push_back(std::nextafter(middle, std::numeric_limits<float>::infinity()));
  }
  const float largest = values.back();
  const bool has_sign = type != ElementType::kF8E8M0FNU;
  tests.insert(tests.end(), {largest * 1.01F, largest * 1.5F, has_sign ? largest * 4 : largest,
                             std::numeric_limits<float>::infinity()});
  const size_t count = tests.size();
  for (size_t i = 0; has_sign && i < count; ++i) tests.push_back(-tests[i]);
  return tests;
}

TEST(Numeric, DecodesEveryCodeOfSmallTypes) {
  for (const Expected& expected : kSmall) {
    Fnv fnv;
    for (uint32_t code = 0; code < expected.codes; ++code) fnv.Float(Decoded(expected.type, code));
    EXPECT_EQ(fnv.hash(), expected.decoded) << TextOf(expected.type);
  }
}

TEST(Numeric, RoundsAsMlDtypesDoes) {
  for (const Expected& expected : kSmall) {
    Fnv fnv;
    for (const float value : Awkward(expected.type, expected.codes)) {
      fnv.Byte(static_cast<uint8_t>(EncodeFloat(expected.type, static_cast<double>(value))));
    }
    EXPECT_EQ(fnv.hash(), expected.encoded) << TextOf(expected.type);
  }
}

TEST(Numeric, SpotValues) {
  EXPECT_EQ(DecodeFloat(ElementType::kF8E4M3FN, 0x7E), 448);
  EXPECT_EQ(DecodeFloat(ElementType::kF8E5M2, 0x7B), 57344);
  EXPECT_EQ(DecodeFloat(ElementType::kF8E4M3B11FNUZ, 0x7F), 30);
  EXPECT_EQ(DecodeFloat(ElementType::kF8E8M0FNU, 0), std::ldexp(1.0, -127));
  EXPECT_EQ(DecodeFloat(ElementType::kF4E2M1FN, 0x7), 6);
  EXPECT_EQ(DecodeFloat(ElementType::kF16, 1), std::ldexp(1.0, -24));
  // Ties go to the even code.
  EXPECT_EQ(EncodeFloat(ElementType::kF8E4M3FN, 17), 0x58u);
  EXPECT_EQ(EncodeFloat(ElementType::kF8E4M3FN, 19), 0x5Au);
  EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, 1.4), 127u);
  EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, 1.6), 128u);
  EXPECT_EQ(EncodeFloat(ElementType::kF16, 65520), 0x7C00u);
  EXPECT_EQ(EncodeFloat(ElementType::kF16, 65519.99), 0x7BFFu);
}

TEST(Numeric, SixteenBitTypesInFull) {
  for (const auto& [type, decoded] : {std::pair{ElementType::kF16, 0x1f87f165810ea7c5ull},
                                      {ElementType::kBF16, 0xcf8e09175d8f5ba5ull}}) {
    Fnv fnv;
    for (uint32_t code = 0; code < 65536; ++code) {
      const double value = DecodeFloat(type, code);
      fnv.Float(static_cast<float>(value));
      EXPECT_EQ(std::isnan(value), IsNan(type, code));
      if (!std::isnan(value)) EXPECT_EQ(EncodeFloat(type, value), code) << TextOf(type);
    }
    EXPECT_EQ(fnv.hash(), decoded) << TextOf(type);
  }
}

TEST(Numeric, EveryCodeSurvivesEncoding) {
  for (const Expected& expected : kSmall) {
    for (uint32_t code = 0; code < expected.codes; ++code) {
      if (IsNan(expected.type, code)) continue;
      EXPECT_EQ(EncodeFloat(expected.type, DecodeFloat(expected.type, code)), code)
          << TextOf(expected.type);
    }
  }
}

TEST(Numeric, NanPayloads) {
  EXPECT_EQ(EncodeNan(ElementType::kF32, false, std::nullopt), 0x7FC00000u);
  EXPECT_EQ(EncodeNan(ElementType::kF32, true, 0x12345), 0xFF812345u);
  EXPECT_EQ(EncodeNan(ElementType::kBF16, false, 0x7F), 0x7FFFu);
  EXPECT_EQ(EncodeNan(ElementType::kF8E4M3FNUZ, false, std::nullopt), 0x80u);
  // A zero payload would be infinity, excess payload bits cannot be kept, and some types have no
  // NaN.
  EXPECT_EQ(EncodeNan(ElementType::kF16, false, 0), std::nullopt);
  EXPECT_EQ(EncodeNan(ElementType::kF16, false, 0x400), std::nullopt);
  EXPECT_EQ(EncodeNan(ElementType::kF4E2M1FN, false, std::nullopt), std::nullopt);
}

// The types without NaN have a negative zero in its place, whatever its sign.
TEST(Numeric, TypesWithoutNan) {
  for (const double nan : {std::nan(""), -std::nan("")}) {
    EXPECT_EQ(EncodeFloat(ElementType::kF4E2M1FN, nan), 0x8u);
    EXPECT_EQ(EncodeFloat(ElementType::kF6E2M3FN, nan), 0x20u);
    EXPECT_EQ(EncodeFloat(ElementType::kF6E3M2FN, nan), 0x20u);
  }
  EXPECT_EQ(EncodeFloat(ElementType::kF6E2M3FN, -HUGE_VAL), 0x3Fu);
  EXPECT_EQ(EncodeFloat(ElementType::kF6E3M2FN, 1e30), 0x1Fu);
}

std::string Printed(ElementType type, uint64_t bits) {
  TextBuffer out;
  AppendFloat(type, bits, out);
  return out.str();
}

TEST(Numeric, PrintsAsXlaDoes) {
  const auto f32 = [](float value) {
    return Printed(ElementType::kF32, std::bit_cast<uint32_t>(value));
  };
  EXPECT_EQ(f32(0), "0");
  EXPECT_EQ(f32(-0.0F), "-0");
  EXPECT_EQ(f32(0.1F), "0.1");
  EXPECT_EQ(f32(1.0F / 3), "0.333333343");
  EXPECT_EQ(f32(16777216), "16777216");
  EXPECT_EQ(f32(1e10F), "1e+10");
  EXPECT_EQ(f32(std::numeric_limits<float>::max()), "3.40282347e+38");
  EXPECT_EQ(Printed(ElementType::kF32, 0x7F800000), "inf");
  EXPECT_EQ(Printed(ElementType::kF32, 0xFF800000), "-inf");
  EXPECT_EQ(Printed(ElementType::kF32, 0x7F800001), "nan(0x1)");
  EXPECT_EQ(Printed(ElementType::kF32, 0xFFC00000), "-nan");
  EXPECT_EQ(Printed(ElementType::kF64, std::bit_cast<uint64_t>(0.1)), "0.1");
  EXPECT_EQ(Printed(ElementType::kBF16, 0x3EAB), "0.334");
  EXPECT_EQ(Printed(ElementType::kF8E5M2, 0x7B), "5.7e+04");
}

}  // namespace
}  // namespace halo
