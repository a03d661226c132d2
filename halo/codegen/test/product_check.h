// Compares a kernel for products with plain loops, in a batch of two whose lines have gaps between
// them. Which kernels, types and sizes is left to the tests.
#ifndef HALO_CODEGEN_TEST_PRODUCT_CHECK_H_
#define HALO_CODEGEN_TEST_PRODUCT_CHECK_H_

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/library/products/lib_product.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {

struct Numbers {
  Numbers(ElementType element, int64_t count, std::mt19937& random)
      : type(element), bytes(static_cast<size_t>(count) * StoredBytes(element)) {
    std::uniform_real_distribution<double> real(-2, 2);
    for (size_t i = 0; i < bytes.size(); i += StoredBytes(type)) {
      StoreFloat(type, real(random), &bytes[i]);
    }
  }
  [[nodiscard]] double At(int64_t index) const {
    return LoadFloat(type, &bytes[static_cast<size_t>(index) * StoredBytes(type)]);
  }

  ElementType type;
  std::vector<uint8_t> bytes;
};

// Rows or columns of both operands and of the result are `gap` elements apart.
struct ProductCase {
  ElementType a, b, c;
  int64_t m, k, n;
  bool a_along_k, b_along_k, c_by_rows;
  double alpha = 1, beta = 0;
  int64_t gap = 3;
};

inline double RoundingOf(ElementType type) {
  return type == ElementType::kBF16 ? 1.0 / 256 : type == ElementType::kF16 ? 1.0 / 2048 : 1e-6;
}

using ProductMaker = std::unique_ptr<ProductKernel> (*)(const Product&);

// `make` has to make a kernel for the product or its transposition.
inline void CheckProduct(ProductMaker make, const ProductCase& c) {
  Product p;
  p.a_type = c.a;
  p.b_type = c.b;
  p.c_type = c.c;
  p.batch = {2};
  p.m = c.m;
  p.n = c.n;
  p.k = c.k;
  p.alpha = c.alpha;
  p.beta = c.beta;
  const int64_t gap = c.gap;
  const auto strides = [gap](int64_t rows, int64_t columns, bool by_rows) {
    return by_rows
               ? MatrixStrides{.row = columns + gap, .column = 1, .batch = {rows * (columns + gap)}}
               : MatrixStrides{.row = 1, .column = rows + gap, .batch = {columns * (rows + gap)}};
  };
  p.a = strides(c.m, c.k, c.a_along_k);
  p.b = strides(c.k, c.n, !c.b_along_k);
  p.c = strides(c.m, c.n, c.c_by_rows);
  const bool is_swapped = make(p) == nullptr;
  const auto kernel = make(is_swapped ? p.Transposed() : p);
  ASSERT_NE(kernel, nullptr);
  std::mt19937 random(static_cast<unsigned>(c.m * 31 + c.k * 7 + c.n));
  const Numbers a(c.a, 2 * p.a.batch[0], random);
  const Numbers b(c.b, 2 * p.b.batch[0], random);
  Numbers result(c.c, 2 * p.c.batch[0], random);
  const Numbers before = result;
  const Numbers& left = is_swapped ? b : a;
  const Numbers& right = is_swapped ? a : b;
  ASSERT_TRUE(kernel->Run(left.bytes.data(), right.bytes.data(), result.bytes.data(), nullptr));
  std::vector<bool> written(static_cast<size_t>(2 * p.c.batch[0]));
  for (int64_t batch = 0; batch < 2; ++batch) {
    for (int64_t i = 0; i < c.m; ++i) {
      for (int64_t j = 0; j < c.n; ++j) {
        const int64_t at = batch * p.c.batch[0] + i * p.c.row + j * p.c.column;
        written[static_cast<size_t>(at)] = true;
        double sum = c.beta == 0 ? 0 : c.beta * before.At(at);
        double size = std::fabs(sum);
        for (int64_t q = 0; q < c.k; ++q) {
          const double product = c.alpha *
                                 a.At(batch * p.a.batch[0] + i * p.a.row + q * p.a.column) *
                                 b.At(batch * p.b.batch[0] + q * p.b.row + j * p.b.column);
          sum += product;
          size += std::fabs(product);
        }
        ASSERT_LE(std::fabs(result.At(at) - sum), 1e-6 * size + std::fabs(sum) * RoundingOf(c.c))
            << kernel->Text() << " batch " << batch << " at " << i << "," << j;
      }
    }
  }
  for (size_t i = 0; i < written.size(); ++i) {
    if (written[i]) continue;
    ASSERT_EQ(result.At(static_cast<int64_t>(i)), before.At(static_cast<int64_t>(i)))
        << "written between the lines";
  }
}

}  // namespace halo

#endif  // HALO_CODEGEN_TEST_PRODUCT_CHECK_H_
