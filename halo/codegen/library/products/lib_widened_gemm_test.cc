// Checks GEMMs of floats against plain loops, at sizes around register blocks, panels and
// depths, in all orders of the operands.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_widen.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/codegen/test/product_check.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

using enum ElementType;

void CheckWidened(const ProductCase& each) { CheckProduct(MakeWidenedGemm, each); }

TEST(LibWidenedGemmTest, AgreesWithPlainLoops) {
  constexpr int64_t kSizes[][3] = {{1, 1, 1},    {5, 300, 64},  {64, 257, 33}, {13, 70, 200},
                                   {100, 8, 51}, {16, 520, 16}, {7, 1030, 9},  {70, 33, 97}};
  for (const auto& [m, k, n] : kSizes) {
    for (int form = 0; form < 8; ++form) {
      CheckWidened(
          {kBF16, kBF16, kBF16, m, k, n, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0});
      CheckWidened({kF32, kF32, kF32, m, k, n, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(LibWidenedGemmTest, WidensEveryType) {
  constexpr ElementType kTypes[] = {kF32,    kBF16,   kF16,        kF8E4M3FN,   kF8E5M2,
                                    kF8E3M4, kF8E4M3, kF8E4M3FNUZ, kF8E5M2FNUZ, kF8E4M3B11FNUZ};
  for (const ElementType a : kTypes) {
    for (const ElementType b : {kF32, kBF16, a}) {
      for (const ElementType c : {kF32, kBF16, kF16}) {
        CheckWidened({a, b, c, 21, 40, 65, true, true, true, 0.5, c == kF16 ? 0.0 : 2.0});
        CheckWidened({a, b, c, 21, 40, 65, true, false, false});
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Large enough for panels that are not kept, several chunks of columns and blocks of rows.
TEST(LibWidenedGemmTest, AgreesAtLargeSizes) {
  CheckWidened({kBF16, kBF16, kF32, 40, 3000, 60, true, false, true});
  CheckWidened({kF16, kF16, kF16, 9, 4200, 130, true, true, true});
  CheckWidened({kBF16, kBF16, kF32, 900, 20, 1100, true, false, true});
  CheckWidened({kF32, kF32, kF32, 40, 3000, 60, true, true, true});
  CheckWidened({kF32, kF32, kF32, 130, 4200, 9, false, false, true});
  CheckWidened({kF32, kF32, kF32, 900, 20, 1100, false, true, false});
}

// Sums of bytes are exact: f32 would lose bits of the largest ones.
void CheckBytes(ElementType a_type, ElementType b_type, int64_t m, int64_t k, int64_t n, int form) {
  Product p;
  p.a_type = a_type;
  p.b_type = b_type;
  p.c_type = kS32;
  p.m = m;
  p.n = n;
  p.k = k;
  const auto strides = [](int64_t rows, int64_t columns, bool by_rows) {
    return by_rows ? MatrixStrides{.row = columns, .column = 1, .batch = {}}
                   : MatrixStrides{.row = 1, .column = rows, .batch = {}};
  };
  p.a = strides(m, k, (form & 1) != 0);
  p.b = strides(k, n, (form & 2) != 0);
  p.c = strides(m, n, (form & 4) != 0);
  std::mt19937 random(static_cast<unsigned>(m * 31 + k * 7 + n));
  const auto bytes = [&](int64_t count) {
    std::vector<uint8_t> all(static_cast<size_t>(count));
    // Mostly the largest ones, so that sums grow.
    for (uint8_t& each : all) each = random() % 8 == 0 ? static_cast<uint8_t>(random()) : 0x80;
    return all;
  };
  const auto value = [](ElementType type, uint8_t byte) {
    return type == kS8 ? int64_t{static_cast<int8_t>(byte)} : int64_t{byte};
  };
  const std::vector<uint8_t> a = bytes(m * k);
  const std::vector<uint8_t> b = bytes(k * n);
  std::vector<int32_t> c(static_cast<size_t>(m * n));
  const bool is_swapped = MakeWidenedGemm(p) == nullptr;
  const auto kernel = MakeWidenedGemm(is_swapped ? p.Transposed() : p);
  ASSERT_NE(kernel, nullptr);
  ASSERT_TRUE(
      kernel->Run((is_swapped ? b : a).data(), (is_swapped ? a : b).data(), c.data(), nullptr));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int64_t q = 0; q < k; ++q) {
        sum += value(a_type, a[static_cast<size_t>(i * p.a.row + q * p.a.column)]) *
               value(b_type, b[static_cast<size_t>(q * p.b.row + j * p.b.column)]);
      }
      ASSERT_EQ(c[static_cast<size_t>(i * p.c.row + j * p.c.column)], static_cast<int32_t>(sum))
          << kernel->Text() << " at " << i << "," << j;
    }
  }
}

TEST(LibWidenedGemmTest, SumsBytesExactly) {
  constexpr int64_t kSizes[][3] = {{1, 1, 1},    {5, 511, 64}, {64, 257, 33}, {13, 512, 20},
                                   {16, 513, 9}, {7, 1030, 9}, {9, 9000, 40}, {70, 33, 97}};
  for (const auto& [m, k, n] : kSizes) {
    for (int form = 0; form < 8; ++form) {
      CheckBytes(kS8, kS8, m, k, n, form);
      CheckBytes(kU8, kS8, m, k, n, form);
      CheckBytes(kS8, kU8, m, k, n, form);
      if (HasFatalFailure()) return;
    }
  }
  CheckBytes(kS8, kS8, 2, 140000, 3, 1);  // exceeds s32
}

// Runs of bytes are converted a vector at a time, and the last of them one by one.
TEST(LibWidenedGemmTest, ConvertsRunsOfBytes) {
  constexpr ElementType kTypes[] = {kF8E4M3FN,   kF8E5M2,     kF8E3M4,       kF8E4M3,
                                    kF8E4M3FNUZ, kF8E5M2FNUZ, kF8E4M3B11FNUZ};
  std::vector<uint8_t> codes(1000);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i);
  for (const ElementType type : kTypes) {
    for (const ElementType to : {kF32, kBF16}) {
      std::vector<uint8_t> got(codes.size() * StoredBytes(to));
      ConvertRun(type, to, codes.data(), got.data(), static_cast<int64_t>(codes.size()));
      for (size_t i = 0; i < codes.size(); ++i) {
        const double expected = LoadFloat(type, &codes[i]);
        const double value = LoadFloat(to, &got[i * StoredBytes(to)]);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(value)) << TextOf(type) << " " << i;
        } else {
          ASSERT_EQ(value, expected) << TextOf(type) << " " << i;
        }
      }
    }
  }
}

TEST(LibWidenedGemmTest, WidensEveryEncoding) {
  constexpr ElementType kTypes[] = {kBF16,   kF16,        kF8E4M3FN,   kF8E5M2,       kF8E3M4,
                                    kF8E4M3, kF8E4M3FNUZ, kF8E5M2FNUZ, kF8E4M3B11FNUZ};
  for (const ElementType type : kTypes) {
    const size_t bytes = StoredBytes(type);
    for (uint32_t i = 0; i < (bytes == 1 ? 256U : 65536U); ++i) {
      const uint8_t code[] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8)};
      float got = 0;
      WithWidening(type, [&](auto widened) { got = widened(code); });
      const double expected = LoadFloat(type, code);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got)) << TextOf(type) << " " << i;
      } else {
        ASSERT_EQ(got, expected) << TextOf(type) << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace halo
