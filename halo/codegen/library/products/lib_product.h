// Batched GEMM c[m, n] = alpha * sum over k of a[m, k] * b[k, n] + beta * c[m, n] over strided
// matrices, and its implementations: oneDNN's matmul and sgemm, and our own kernels for skinny
// GEMMs, for tile registers, for f32 and for narrow floats on CPUs that multiply f32 only, and for
// the types that oneDNN does not support.
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
  // The same GEMM as c' = b' a', with rows and columns swapped.
  [[nodiscard]] Product Transposed() const;
  // "64x1024x6144", preceded by the batch size if there is a batch.
  [[nodiscard]] std::string SizeText() const;
};

// Where each of the three matrices of one batch element begins.
struct BatchOffsets {
  int64_t a = 0, b = 0, c = 0;
};
BatchOffsets OffsetsOf(const Product& product, int64_t batch);

class ProductKernel {
 public:
  virtual ~ProductKernel() = default;
  // Returns false if the library fails at run time.
  virtual bool Run(const void* a, const void* b, void* c, void* scratch) const = 0;
  [[nodiscard]] virtual int64_t scratch_bytes() const { return 0; }
  [[nodiscard]] virtual std::string Text() const = 0;

 protected:
  ProductKernel() = default;
  ProductKernel(const ProductKernel&) = default;
  ProductKernel& operator=(const ProductKernel&) = default;
};

// Null if no kernel suits these strides: a and b must be contiguous along rows or columns, and so
// must c. Sizes are not zero. Types: f32, bf16, f16 and 8-bit floats in any combination, with
// results of f32, bf16 or f16; s8 or u8 by s8 or u8, with results of s32; f64; u32 and u64, modulo
// 2^32 and 2^64.
std::unique_ptr<ProductKernel> MakeProductKernel(const Product& product);

// The families it selects from; null where they do not apply.
std::unique_ptr<ProductKernel> MakeThinGemm(const Product& product);
std::unique_ptr<ProductKernel> MakeSkinnyGemm(const Product& product);
std::unique_ptr<ProductKernel> MakeSmallDots(const Product& product);
std::unique_ptr<ProductKernel> MakeSmallGemm(const Product& product);
std::unique_ptr<ProductKernel> MakeTiledGemm(const Product& product);
std::unique_ptr<ProductKernel> MakeOneDnnMatmul(const Product& product);
std::unique_ptr<ProductKernel> MakeOneDnnSgemm(const Product& product);
std::unique_ptr<ProductKernel> MakeWidenedGemm(const Product& product);
std::unique_ptr<ProductKernel> MakeBlockedProduct(const Product& product);

// True if this CPU has instructions for products of bf16, or of bytes, and this process may use
// them.
bool MultipliesBF16();
bool MultipliesBytes();

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_PRODUCT_H_
