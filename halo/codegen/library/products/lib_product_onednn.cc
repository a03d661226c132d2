// GEMM by oneDNN: its matmul for batches and narrow types, its sgemm for single f32 GEMMs, where it
// is faster and adds to existing contents without another pass.
#include <algorithm>
#include <oneapi/dnnl/dnnl.h>
#include <utility>

#include "halo/codegen/library/lib_onednn.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

// True if the elements of each row are contiguous; a single row may have any row stride.
bool HasRows(const MatrixStrides& s, int64_t rows, int64_t columns) {
  return (s.column == 1 || columns == 1) && (s.row >= columns || rows == 1);
}
bool HasColumns(const MatrixStrides& s, int64_t rows, int64_t columns) {
  return (s.row == 1 || rows == 1) && (s.column >= rows || columns == 1);
}

// Measured: 30 to 60 µs of one thread. Beside other work, waking another one takes as long.
bool IsSmall(const Product& p) {
  constexpr int64_t kSmall = int64_t{1} << 21;
  return p.batches() * p.m * p.n * p.k <= kSmall;
}

class OneDnnMatmul : public ProductKernel {
 public:
  OneDnnMatmul(const Product& product, dnnl::matmul::primitive_desc pd)
      : pd_(std::move(pd)), primitive_(pd_), product_(product) {}

  bool Run(const void* a, const void* b, void* c, void* scratch) const override {
    const LibraryThreadsScope threads(IsSmall(product_));
    try {
      auto& engine = onednn::Cpu();
      const auto memory = [&](const dnnl::memory::desc& desc, const void* at) {
        return dnnl::memory(desc, engine, const_cast<void*>(at));  // NOLINT: its interface
      };
      primitive_.execute(onednn::Queue(),
                         {{DNNL_ARG_SRC, memory(pd_.src_desc(), a)},
                          {DNNL_ARG_WEIGHTS, memory(pd_.weights_desc(), b)},
                          {DNNL_ARG_DST, memory(pd_.dst_desc(), c)},
                          {DNNL_ARG_SCRATCHPAD, memory(pd_.scratchpad_desc(), scratch)}});
      onednn::Queue().wait();
      return true;
    } catch (const dnnl::error&) {
      return false;
    }
  }
  [[nodiscard]] int64_t scratch_bytes() const override {
    return static_cast<int64_t>(pd_.scratchpad_desc().get_size());
  }
  [[nodiscard]] std::string Text() const override {
    return "oneDNN matmul " + std::string(TextOf(product_.a_type)) + " " + product_.SizeText();
  }

 private:
  dnnl::matmul::primitive_desc pd_;
  dnnl::matmul primitive_;
  Product product_;
};

class OneDnnSgemm : public ProductKernel {
 public:
  explicit OneDnnSgemm(const Product& product)
      : product_(product),
        a_rows_(HasRows(product.a, product.m, product.k)),
        b_rows_(HasRows(product.b, product.k, product.n)) {}

  bool Run(const void* a, const void* b, void* c, void* /*scratch*/) const override {
    const Product& p = product_;
    const LibraryThreadsScope threads(IsSmall(p));
    for (int64_t i = 0; i < p.batches(); ++i) {
      const BatchOffsets at = OffsetsOf(p, i);
      if (dnnl_sgemm(a_rows_ ? 'N' : 'T', b_rows_ ? 'N' : 'T', p.m, p.n, p.k,
                     static_cast<float>(p.alpha), static_cast<const float*>(a) + at.a,
                     Leading(p.a, a_rows_, p.m, p.k), static_cast<const float*>(b) + at.b,
                     Leading(p.b, b_rows_, p.k, p.n), static_cast<float>(p.beta),
                     static_cast<float*>(c) + at.c, Leading(p.c, true, p.m, p.n)) != dnnl_success) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] std::string Text() const override { return "oneDNN sgemm " + product_.SizeText(); }

 private:
  // Single rows and columns may have strides that sgemm would reject.
  static int64_t Leading(const MatrixStrides& s, bool by_rows, int64_t rows, int64_t columns) {
    return by_rows ? std::max(rows == 1 ? columns : s.row, columns)
                   : std::max(columns == 1 ? rows : s.column, rows);
  }

  Product product_;
  bool a_rows_, b_rows_;
};

}  // namespace

bool MultipliesBF16() {
  using Isa = dnnl::cpu_isa;
  const Isa isa = dnnl::get_effective_cpu_isa();
  return MayUseNewestExtensions() && (isa == Isa::avx512_core_bf16 || isa == Isa::avx512_core_amx);
}

// On processors without instructions for them, oneDNN's sums of byte products overflow 16 bits.
bool MultipliesBytes() {
  using Isa = dnnl::cpu_isa;
  const Isa isa = dnnl::get_effective_cpu_isa();
  return isa == Isa::avx512_core_vnni || isa == Isa::avx512_core_bf16 || isa == Isa::avx2_vnni ||
         isa == Isa::avx512_core_amx;
}

std::unique_ptr<ProductKernel> MakeOneDnnMatmul(const Product& p) {
  using enum ElementType;
  const bool floats =
      (p.a_type == kF32 && p.b_type == kF32 && p.c_type == kF32) ||
      (p.a_type == kBF16 && p.b_type == kBF16 && (p.c_type == kBF16 || p.c_type == kF32));
  const bool bytes = (p.a_type == kS8 || p.a_type == kU8) && p.b_type == kS8 && p.c_type == kS32;
  if (!floats && !(bytes && MultipliesBytes())) return nullptr;
  if (!HasRows(p.c, p.m, p.n) || (!HasRows(p.a, p.m, p.k) && !HasColumns(p.a, p.m, p.k)) ||
      (!HasRows(p.b, p.k, p.n) && !HasColumns(p.b, p.k, p.n)) || p.batch.size() > 6) {
    return nullptr;
  }
  const auto desc = [&](ElementType type, int64_t rows, int64_t columns, const MatrixStrides& s) {
    Dims dims = p.batch;
    dims.insert(dims.end(), {rows, columns});
    Dims strides = s.batch;
    // Ignore the stride of a single row or column, which may be arbitrary.
    const int64_t row = rows == 1 && s.column == 1 ? columns : rows == 1 ? 1 : s.row;
    const int64_t column = columns == 1 && s.row == 1 ? rows : columns == 1 ? 1 : s.column;
    strides.insert(strides.end(), {row, column});
    return onednn::Strided(dims, type, strides);
  };
  // The number of threads decides how the primitive divides its work.
  const LibraryThreadsScope threads(IsSmall(p));
  try {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::post_ops ops;
    if (p.alpha != 1) onednn::AppendLinear(ops, static_cast<float>(p.alpha));
    if (p.beta != 0) ops.append_sum(static_cast<float>(p.beta));
    attr.set_post_ops(ops);
    auto pd = onednn::Matmul(desc(p.a_type, p.m, p.k, p.a), desc(p.b_type, p.k, p.n, p.b),
                             desc(p.c_type, p.m, p.n, p.c), attr);
    if (onednn::IsPlainLoops(pd)) return nullptr;
    return std::make_unique<OneDnnMatmul>(p, std::move(pd));
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

std::unique_ptr<ProductKernel> MakeOneDnnSgemm(const Product& p) {
  using enum ElementType;
  if (p.a_type != kF32 || p.b_type != kF32 || p.c_type != kF32) return nullptr;
  if (!HasRows(p.c, p.m, p.n) || (!HasRows(p.a, p.m, p.k) && !HasColumns(p.a, p.m, p.k)) ||
      (!HasRows(p.b, p.k, p.n) && !HasColumns(p.b, p.k, p.n))) {
    return nullptr;
  }
  return std::make_unique<OneDnnSgemm>(p);
}

}  // namespace halo
