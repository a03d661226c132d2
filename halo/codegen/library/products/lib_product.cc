// Selects the implementation of a GEMM.
#include "halo/codegen/library/products/lib_product.h"

#include <algorithm>
#include <utility>

#include "halo/runtime/cpu_level.h"

namespace halo {

Product Product::Transposed() const {
  const auto flip = [](const MatrixStrides& s) {
    return MatrixStrides{.row = s.column, .column = s.row, .batch = s.batch};
  };
  Product out = *this;
  out.a_type = b_type;
  out.b_type = a_type;
  out.m = n;
  out.n = m;
  out.a = flip(b);
  out.b = flip(a);
  out.c = flip(c);
  return out;
}

std::string Product::SizeText() const {
  std::string text = batches() == 1 ? "" : std::to_string(batches()) + "x";
  return text + std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
}

BatchOffsets OffsetsOf(const Product& product, int64_t batch) {
  BatchOffsets at;
  for (size_t i = product.batch.size(); i-- > 0;) {
    const int64_t index = batch % product.batch[i];
    batch /= product.batch[i];
    at.a += index * product.a.batch[i];
    at.b += index * product.b.batch[i];
    at.c += index * product.c.batch[i];
  }
  return at;
}

namespace {

using Maker = std::unique_ptr<ProductKernel> (*)(const Product&);

class Swapped : public ProductKernel {
 public:
  explicit Swapped(std::unique_ptr<ProductKernel> kernel) : kernel_(std::move(kernel)) {}
  bool Run(const void* a, const void* b, void* c, void* scratch) const override {
    return kernel_->Run(b, a, c, scratch);
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return kernel_->scratch_bytes(); }
  [[nodiscard]] std::string Text() const override { return kernel_->Text() + " transposed"; }

 private:
  std::unique_ptr<ProductKernel> kernel_;
};

// Measured: oneDNN's sgemm wins for large matrices and for updates with few columns, its matmul for
// few rows. Small GEMMs of a batch are better spread over the threads.
bool PrefersSgemm(const Product& p) {
  constexpr int64_t kLarge = 256;
  constexpr int64_t kFewColumns = 128;
  constexpr int64_t kWorthAllThreads = int64_t{1} << 22;
  if (p.batches() > 1 && p.m * p.n * p.k < kWorthAllThreads) return false;
  return p.k <= kFewColumns || (p.m >= kLarge && p.n >= kLarge);
}

// Measured for bf16: oneDNN's matmul wins for medium sizes, for batches, and for few rows with
// contiguous columns.
bool PrefersTiles(const Product& p) {
  if (p.a_type != ElementType::kBF16) return true;
  constexpr int64_t kLarge = int64_t{1} << 29;
  constexpr int64_t kSkinnyRows = 64;
  constexpr int64_t kWorthPacking = int64_t{1} << 20;
  const int64_t few = std::min(p.m, p.n);
  const bool by_rows = p.m <= p.n ? p.b.column == 1 : p.a.row == 1;
  return p.batches() == 1 &&
         (p.m * p.n * p.k >= kLarge ||
          (by_rows && few <= kSkinnyRows && std::max(p.m, p.n) * p.k >= kWorthPacking));
}

// Measured with AVX2 and with AVX-512: without instructions for bf16, oneDNN's bf16 matmul runs at
// a fifth of the speed of f32 (AVX-512) or does not exist (AVX2), while widening is as fast as
// oneDNN in f32. oneDNN has no products of f16 and 8-bit floats here, and none of bytes that are
// exact without instructions for them. In f32 it is as fast as oneDNN for matrices of 256 and more,
// and for few rows by many weights where there is no skinny GEMM; others are faster without
// packing. oneDNN compiles its f32 kernels at the first call, for 10 to 40 ms. Below AVX its loops
// are plain.
bool PrefersWidening(const Product& p) {
  using enum ElementType;
  if (p.a_type == kBF16 && p.b_type == kBF16) return !MultipliesBF16();
  if (p.c_type == kS32) return !MultipliesBytes();
  if (p.a_type != kF32 || p.b_type != kF32 || BestCpuLevel() == CpuLevel::kBaseline) return true;
  const int64_t few = std::min(p.m, p.n);
  constexpr int64_t kSquare = 256;
  constexpr int64_t kLeastDepth = 64;
  constexpr int64_t kMostDepth = 4096;
  constexpr int64_t kLarge = int64_t{1} << 30;  // oneDNN wins by a few percent
  if (few >= kSquare && p.k >= kLeastDepth && p.k <= kMostDepth && p.m * p.n * p.k < kLarge) {
    return true;
  }
  constexpr int64_t kSkinnyRows = 16;
  constexpr int64_t kManyWeights = int64_t{1} << 21;
  return BestCpuLevel() == CpuLevel::kAvx2 && p.batches() == 1 && few <= kSkinnyRows &&
         std::max(p.m, p.n) * p.k >= kManyWeights;
}

std::unique_ptr<ProductKernel> MakeSwapped(Maker make, const Product& product) {
  std::unique_ptr<ProductKernel> kernel = make(product.Transposed());
  if (kernel == nullptr) return nullptr;
  return std::make_unique<Swapped>(std::move(kernel));
}

}  // namespace

std::unique_ptr<ProductKernel> MakeProductKernel(const Product& product) {
  constexpr Maker kMakers[] = {
      MakeSmallDots, MakeSmallGemm,   MakeThinGemm,     MakeSkinnyGemm,  MakeWidenedGemm,
      MakeTiledGemm, MakeOneDnnSgemm, MakeOneDnnMatmul, MakeOneDnnSgemm, MakeBlockedProduct};
  bool tried_matmul = false;
  for (const Maker make : kMakers) {
    if (make == MakeWidenedGemm && !PrefersWidening(product)) continue;
    if (make == MakeTiledGemm && !PrefersTiles(product)) continue;
    if (make == MakeOneDnnSgemm && !tried_matmul && !PrefersSgemm(product)) continue;
    tried_matmul = tried_matmul || make == MakeOneDnnMatmul;
    if (auto kernel = make(product)) return kernel;
    if (auto kernel = MakeSwapped(make, product)) return kernel;
  }
  return nullptr;
}

}  // namespace halo
