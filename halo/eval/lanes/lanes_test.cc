// Tests that every value of the narrow types survives loading and storing, and that rounding agrees
// with halo/ir's encoder on numbers around every midpoint.
#include "halo/eval/lanes/lanes.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "halo/ir/types/numeric.h"

namespace halo {
namespace {

uint64_t Stored(ElementType type, double value) {
  std::array<uint8_t, 16> bytes{};
  StoreFloat(type, value, bytes.data());
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), StoredBytes(type));
  return bits;
}

std::vector<ElementType> NarrowFloats() {
  std::vector<ElementType> types;
  for (size_t i = 0; i < ElementTypeCount(); ++i) {
    const auto type = static_cast<ElementType>(i);
    if (InfoOf(type).klass == ElementClass::kFloat && InfoOf(type).bits <= 16)
      types.push_back(type);
  }
  return types;
}

TEST(LanesTest, EveryNarrowFloatLoadsAsItDecodesAndStoresBack) {
  for (const ElementType type : NarrowFloats()) {
    for (uint64_t bits = 0; bits < (uint64_t{1} << InfoOf(type).bits); ++bits) {
      std::array<uint8_t, 8> bytes{};
      std::memcpy(bytes.data(), &bits, sizeof(bits));
      const double value = LoadFloat(type, bytes.data());
      if (IsNan(type, bits)) {
        EXPECT_TRUE(std::isnan(value)) << TextOf(type) << " " << bits;
        continue;
      }
      EXPECT_EQ(value, DecodeFloat(type, bits)) << TextOf(type) << " " << bits;
      EXPECT_EQ(Stored(type, value), bits) << TextOf(type) << " " << bits;
    }
  }
}

TEST(LanesTest, RoundsOnceToNearestEven) {
  for (const ElementType type : {ElementType::kBF16, ElementType::kF16}) {
    for (uint32_t bits = 0; bits < 0x7C00; bits += 7) {
      const double low = DecodeFloat(type, bits);
      const double high = DecodeFloat(type, bits + 1);
      if (!std::isfinite(high)) continue;
      const double middle = low + (high - low) / 2;
      for (const double value : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, high),
                                 -middle, -std::nextafter(middle, 0.0)}) {
        EXPECT_EQ(Stored(type, value), EncodeFloat(type, value)) << TextOf(type) << " " << value;
      }
    }
  }
}

TEST(LanesTest, IntegersWrapToTheirWidth) {
  std::array<uint8_t, 8> bytes{};
  StoreInt(ElementType::kS8, 200, bytes.data());
  EXPECT_EQ(LoadInt(ElementType::kS8, bytes.data()), -56);
  StoreInt(ElementType::kS4, 9, bytes.data());
  EXPECT_EQ(LoadInt(ElementType::kS4, bytes.data()), -7);
  StoreInt(ElementType::kU4, 19, bytes.data());
  EXPECT_EQ(LoadInt(ElementType::kU4, bytes.data()), 3);
  StoreInt(ElementType::kPred, 2, bytes.data());
  EXPECT_EQ(bytes[0], 1);
}

TEST(LanesTest, StridesReadAndRepeat) {
  const std::array<float, 6> values = {1, 2, 3, 4, 5, 6};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  std::array<double, 3> lanes{};
  LoadLanes(ElementType::kF32, bytes, 2, 3, lanes.data());
  EXPECT_EQ(lanes, (std::array<double, 3>{1, 3, 5}));
  LoadLanes(ElementType::kF32, bytes, 0, 3, lanes.data());
  EXPECT_EQ(lanes, (std::array<double, 3>{1, 1, 1}));
}

TEST(LanesTest, RoundingALaneIsStoringAndLoadingIt) {
  std::array<double, 2> lanes = {0.1, 1e300};
  RoundLanes(ElementType::kF32, 2, lanes.data());
  EXPECT_EQ(lanes[0], static_cast<double>(0.1F));
  EXPECT_EQ(lanes[1], std::numeric_limits<double>::infinity());
  std::array<int64_t, 1> integer = {300};
  RoundLanes(ElementType::kS8, 1, integer.data());
  EXPECT_EQ(integer[0], 44);
}

}  // namespace
}  // namespace halo
