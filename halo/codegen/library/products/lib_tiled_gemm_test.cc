// Checks tile-register GEMMs against plain loops, at sizes around tiles, lines and blocks.
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/library/products/lib_product.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

using enum ElementType;

struct Matrix {
  Matrix(ElementType element, int64_t elements)
      : type(element), bytes(static_cast<size_t>(elements) * StoredBytes(element), 0x5A) {}
  [[nodiscard]] std::vector<double> Numbers() const {
    std::vector<double> numbers;
    for (size_t i = 0; i < bytes.size(); i += StoredBytes(type)) {
      numbers.push_back(IsIntegerType(type) ? static_cast<double>(LoadInt(type, &bytes[i]))
                                            : LoadFloat(type, &bytes[i]));
    }
    return numbers;
  }
  void Fill(std::mt19937& random) {
    std::uniform_real_distribution<double> real(-2, 2);
    for (size_t i = 0; i < bytes.size(); i += StoredBytes(type)) {
      if (type == kBF16) {
        StoreFloat(type, real(random), &bytes[i]);
      } else {
        bytes[i] = static_cast<uint8_t>(random());
      }
    }
  }

  ElementType type;
  std::vector<uint8_t> bytes;
};

struct Types {
  ElementType a, b, c;
};

void Check(const Types& types, int64_t m, int64_t k, int64_t n, bool by_columns, int64_t gap) {
  Product p;
  p.a_type = types.a;
  p.b_type = types.b;
  p.c_type = types.c;
  p.batch = {2};
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = {.row = k + gap, .column = 1, .batch = {m * (k + gap)}};
  p.b = by_columns ? MatrixStrides{.row = 1, .column = k + gap, .batch = {n * (k + gap)}}
                   : MatrixStrides{.row = n + gap, .column = 1, .batch = {k * (n + gap)}};
  p.c = {.row = n + gap, .column = 1, .batch = {m * (n + gap)}};
  const auto kernel = MakeTiledGemm(p);
  if (kernel == nullptr) GTEST_SKIP() << "no tile registers here";
  std::mt19937 random(static_cast<unsigned>(m * 31 + k * 7 + n));
  Matrix a(types.a, 2 * p.a.batch[0]);
  Matrix b(types.b, 2 * p.b.batch[0]);
  Matrix c(types.c, 2 * p.c.batch[0]);
  a.Fill(random);
  b.Fill(random);
  const std::vector<uint8_t> before = c.bytes;
  ASSERT_TRUE(kernel->Run(a.bytes.data(), b.bytes.data(), c.bytes.data(), nullptr));
  const std::vector<double> left = a.Numbers();
  const std::vector<double> right = b.Numbers();
  const std::vector<double> got = c.Numbers();
  for (int64_t batch = 0; batch < 2; ++batch) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n + gap; ++j) {
        const int64_t at = batch * p.c.batch[0] + i * p.c.row + j;
        const size_t byte = static_cast<size_t>(at) * StoredBytes(types.c);
        if (j >= n) {
          ASSERT_EQ(c.bytes[byte], before[byte]) << "written between the rows";
          continue;
        }
        const int64_t a_row = batch * p.a.batch[0] + i * p.a.row;
        const int64_t b_column = batch * p.b.batch[0] + j * p.b.column;
        double sum = 0;
        double size = 0;
        for (int64_t q = 0; q < k; ++q) {
          const double product = left[static_cast<size_t>(a_row + q)] *
                                 right[static_cast<size_t>(b_column + q * p.b.row)];
          sum += product;
          size += std::fabs(product);
        }
        const double allowed = types.c == kS32   ? 0
                               : types.c == kF32 ? 1e-6 * size
                                                 : 1e-6 * size + std::fabs(sum) / 256;
        ASSERT_LE(std::fabs(got[static_cast<size_t>(at)] - sum), allowed)
            << kernel->Text() << " batch " << batch << " at " << i << "," << j;
      }
    }
  }
}

TEST(LibProductTilesTest, AgreesWithPlainLoops) {
  constexpr Types kTypes[] = {{kS8, kS8, kS32}, {kS8, kU8, kS32},     {kU8, kS8, kS32},
                              {kU8, kU8, kS32}, {kBF16, kBF16, kF32}, {kBF16, kBF16, kBF16}};
  constexpr int64_t kSizes[][3] = {{1, 1, 1},     {16, 64, 32},  {33, 65, 31}, {32, 1024, 64},
                                   {40, 1030, 7}, {5, 2048, 33}, {70, 33, 97}, {32, 31, 130}};
  for (const Types& types : kTypes) {
    for (const auto& [m, k, n] : kSizes) {
      for (const bool by_columns : {false, true}) {
        Check(types, m, k, n, by_columns, by_columns ? 0 : 3);
        if (HasFatalFailure() || IsSkipped()) return;
      }
    }
  }
}

}  // namespace
}  // namespace halo
