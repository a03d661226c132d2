// Batches of matrix products c[m, n] = alpha * sum over k of a[m, k] * b[k, n] + beta * c[m, n]
// over strided matrices, and the ways to compute them: oneDNN's matmul and sgemm, and kernels of
// our own for few rows, for tile registers and for the types that oneDNN does not take.
#ifndef HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_PRODUCT_H_
#define HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_PRODUCT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "halo/eval/lanes/array.h"
#include "halo/ir/types/element_type.h"

namespace halo {

// Strides, in elements.
struct MatrixStrides {
  int64_t row = 0, column = 0;
  Dims batch;
};

struct Product {
  ElementType a_type{}, b_type{}, c_type{};
  Dims batch;
  int64_t m = 0, n = 0, k = 0;
  MatrixStrides a, b, c;
  double alpha = 1, beta = 0;

  [[nodiscard]] int64_t batches() const { return ElementsIn(batch); }
  // The same product as c' = b' a', so that rows and columns change places.
  [[nodiscard]] Product Transposed() const;
  // "64x1024x6144", with the batch in front if there is one.
  [[nodiscard]] std::string SizeText() const;
};

// Where each of the three matrices of one batch begins.
struct BatchOffsets {
  int64_t a = 0, b = 0, c = 0;
};
BatchOffsets OffsetsOf(const Product& product, int64_t batch);

class ProductKernel {
 public:
  virtual ~ProductKernel() = default;
  // False if the library refuses at run time.
  virtual bool Run(const void* a, const void* b, void* c, void* scratch) const = 0;
  [[nodiscard]] virtual int64_t scratch_bytes() const { return 0; }
  [[nodiscard]] virtual std::string Text() const = 0;

 protected:
  ProductKernel() = default;
  ProductKernel(const ProductKernel&) = default;
  ProductKernel& operator=(const ProductKernel&) = default;
};

// Null if none is good at it as it lies: a and b want neighbours along rows or columns, c along
// rows or columns. Sizes are not zero. Types: f32; bf16 with results of bf16 or f32; s8 or u8 by
// s8 or u8, with results of s32; f64; u32 and u64, modulo 2^32 and 2^64.
std::unique_ptr<ProductKernel> MakeProductKernel(const Product& product);

// The families that it chooses from; null where they do not apply.
std::unique_ptr<ProductKernel> MakeFewRows(const Product& product);
std::unique_ptr<ProductKernel> MakeSomeRows(const Product& product);
std::unique_ptr<ProductKernel> MakeTileProduct(const Product& product);
std::unique_ptr<ProductKernel> MakeOneDnnMatmul(const Product& product);
std::unique_ptr<ProductKernel> MakeOneDnnSgemm(const Product& product);
std::unique_ptr<ProductKernel> MakeBlockedProduct(const Product& product);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_PRODUCT_H_
