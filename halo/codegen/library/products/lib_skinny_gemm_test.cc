// Checks GEMMs of up to sixteen rows against plain loops.
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/library/products/lib_product.h"

namespace halo {
namespace {

void Check(int64_t m, int64_t k, int64_t n, bool by_columns, double alpha, double beta) {
  Product p;
  p.a_type = p.b_type = p.c_type = ElementType::kF32;
  p.m = m;
  p.n = n;
  p.k = k;
  p.alpha = alpha;
  p.beta = beta;
  p.a = {.row = 1, .column = m, .batch = {}};
  p.b = by_columns ? MatrixStrides{.row = 1, .column = k + 3, .batch = {}}
                   : MatrixStrides{.row = n + 3, .column = 1, .batch = {}};
  p.c = {.row = n + 5, .column = 1, .batch = {}};
  const auto kernel = MakeSkinnyGemm(p);
  if (kernel == nullptr) GTEST_SKIP() << "no vectors of 64 bytes here";
  std::mt19937 random(7);
  std::uniform_real_distribution<float> real(-1, 1);
  std::vector<float> a(static_cast<size_t>(m * k));
  std::vector<float> b(static_cast<size_t>((n + 3) * (k + 3)));
  std::vector<float> c(static_cast<size_t>(m * (n + 5)));
  for (std::vector<float>* each : {&a, &b, &c}) {
    for (float& value : *each) value = real(random);
  }
  std::vector<double> expected(c.begin(), c.end());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) expected[static_cast<size_t>(i * (n + 5) + j)] *= beta;
    for (int64_t q = 0; q < k; ++q) {
      const double factor = alpha * a[static_cast<size_t>(i + q * m)];
      for (int64_t j = 0; j < n; ++j) {
        expected[static_cast<size_t>(i * (n + 5) + j)] +=
            factor * b[static_cast<size_t>(q * p.b.row + j * p.b.column)];
      }
    }
  }
  std::vector<float> scratch(static_cast<size_t>(kernel->scratch_bytes()) / sizeof(float) + 16);
  const auto misplaced = reinterpret_cast<uintptr_t>(scratch.data()) % 64 / sizeof(float);
  float* aligned = scratch.data() + (misplaced == 0 ? 0 : 16 - misplaced);
  ASSERT_TRUE(kernel->Run(a.data(), b.data(), c.data(), aligned));
  for (size_t i = 0; i < c.size(); ++i) {
    ASSERT_NEAR(c[i], expected[i], 1e-6 * static_cast<double>(k)) << kernel->Text() << " " << i;
  }
}

TEST(LibSkinnyGemmTest, AgreesWithPlainLoops) {
  for (const bool by_columns : {false, true}) {
    Check(16, 1024, 2048, by_columns, 1, 0);
    Check(7, 2064, 1040, by_columns, 2, 1);
    Check(11, 1040, 2032, by_columns, -1, 0.5);
    if (HasFatalFailure() || IsSkipped()) return;
  }
}

TEST(LibSkinnyGemmTest, LeavesTheRestToOthers) {
  Product p;
  p.a_type = p.b_type = p.c_type = ElementType::kF32;
  p.m = 16;
  p.k = 64;
  p.n = 64;
  p.a = {.row = 64, .column = 1, .batch = {}};
  p.b = p.c = p.a;
  EXPECT_EQ(MakeSkinnyGemm(p), nullptr);  // small
  p.k = p.n = 4096;
  p.m = 17;
  EXPECT_EQ(MakeSkinnyGemm(p), nullptr);
}

}  // namespace
}  // namespace halo
