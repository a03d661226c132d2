// Computes dot as batches of matrix products: arranges the operands as [batch, rows, contracted]
// and [batch, contracted, columns] in wide numbers, then accumulates row by row.
#include "halo/eval/linalg/dot.h"

#include <algorithm>
#include <complex>
#include <vector>

#include "halo/base/capped.h"
#include "halo/base/containers/contains.h"
#include "halo/base/parallel.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/eval/lanes/lane_convert.h"
#include "halo/eval/lanes/lanes.h"

// Compiles the same loop for wider vectors where the processor has them. Results are identical,
// since each product is added in the same order without contraction. Sanitizers cannot run the
// resolver that chooses the version: it is called before they are initialized.
#if defined(__x86_64__) && defined(__linux__) && !defined(HALO_SANITIZED)
#define HALO_WIDE_VECTORS __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define HALO_WIDE_VECTORS
#endif

namespace halo {
namespace {

constexpr int64_t kColumns =
    256;  // result columns computed at a time, so that they stay in the L1 cache
constexpr int64_t kDepth = 128;

// out[0..n) += the rows of rhs, each multiplied by its element of lhs
HALO_WIDE_VECTORS void AddScaledRows(const double* lhs, int64_t k, const double* rhs,
                                     int64_t rhs_stride, double* out, int64_t n) {
#pragma STDC FP_CONTRACT OFF
  for (int64_t p = 0; p < k; ++p) {
    const double a = lhs[p];
    const double* row = rhs + p * rhs_stride;
    for (int64_t j = 0; j < n; ++j) out[j] += a * row[j];
  }
}

template <class T>
void AddScaledRows(const T* lhs, int64_t k, const T* rhs, int64_t rhs_stride, T* out, int64_t n) {
  for (int64_t p = 0; p < k; ++p) {
    const T* row = rhs + p * rhs_stride;
    for (int64_t j = 0; j < n; ++j) out[j] += lhs[p] * row[j];
  }
}

template <class T>
void MultiplyRows(const T* lhs, const T* rhs, T* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t column = 0; column < n; column += kColumns) {
    const int64_t width = std::min(kColumns, n - column);
    for (int64_t depth = 0; depth < k; depth += kDepth) {
      const int64_t length = std::min(kDepth, k - depth);
      for (int64_t row = 0; row < m; ++row) {
        AddScaledRows(lhs + row * k + depth, length, rhs + depth * n + column, n,
                      out + row * n + column, width);
      }
    }
  }
}

// Returns one operand with its dimensions in the given order, as lanes of one kind.
template <class T>
std::vector<T> Arranged(const OpContext& cx, const Array& array, const Dims& order,
                        ElementType wide) {
  const Array moved = Transposed(cx, array, order);
  std::vector<T> lanes(static_cast<size_t>(moved.count()));
  LaneBlock own;
  for (int64_t at = 0; at < moved.count(); at += static_cast<int64_t>(kBlock)) {
    const auto n = static_cast<size_t>(std::min<int64_t>(kBlock, moved.count() - at));
    LoadLanes(moved.type(), moved.bytes() + static_cast<size_t>(at) * moved.element_bytes(), 1, n,
              own.bytes);
    ConvertLanes(moved.type(), wide, own.bytes, lanes.data() + at, n);
  }
  return lanes;
}

struct Arrangement {
  Dims order;  // left: batch, free, contracted; right: batch, contracted, free
  int64_t batch = 1, free = 1, contracted = 1;
  Dims batch_dims, free_dims;
};

Arrangement Arrange(const Array& array, std::span<const int64_t> batch,
                    std::span<const int64_t> contracting, bool left) {
  Arrangement arranged;
  Dims free;
  for (size_t i = 0; i < array.rank(); ++i) {
    const auto dim = static_cast<int64_t>(i);
    if (Contains(batch, dim) || Contains(contracting, dim)) continue;
    free.push_back(dim);
    arranged.free = MultiplyCapped(arranged.free, array.dim(i));
    arranged.free_dims.push_back(array.dim(i));
  }
  for (const int64_t dim : batch) {
    arranged.batch = MultiplyCapped(arranged.batch, array.dim(static_cast<size_t>(dim)));
    arranged.batch_dims.push_back(array.dim(static_cast<size_t>(dim)));
  }
  for (const int64_t dim : contracting) {
    arranged.contracted = MultiplyCapped(arranged.contracted, array.dim(static_cast<size_t>(dim)));
  }
  arranged.order.assign(batch.begin(), batch.end());
  const auto append = [&](std::span<const int64_t> dims) {
    arranged.order.insert(arranged.order.end(), dims.begin(), dims.end());
  };
  if (left) append(free);
  append(contracting);
  if (!left) append(free);
  return arranged;
}

template <class T>
void MultiplyArranged(const OpContext& cx, const Array& lhs, const Array& rhs,
                      const Arrangement& left, const Arrangement& right, ElementType wide,
                      Array& result) {
  const std::vector<T> a = Arranged<T>(cx, lhs, left.order, wide);
  const std::vector<T> b = Arranged<T>(cx, rhs, right.order, wide);
  const int64_t m = left.free;
  const int64_t n = right.free;
  const int64_t k = left.contracted;
  uint8_t* to = result.MutableBytes();
  const size_t width = result.element_bytes();
  const ElementType type = result.type();
  const int64_t rows_at_once =
      std::max<int64_t>(1, (int64_t{1} << 18) / std::max<int64_t>(1, k * n));
  ParallelFor(left.batch * m, rows_at_once, cx.threads(), [&](int64_t begin, int64_t end) {
    constexpr int64_t kRows = 64;
    std::vector<T> out;
    for (int64_t row = begin; row < end;) {
      const int64_t batch = row / m;
      const int64_t rows = std::min({kRows, end - row, (batch + 1) * m - row});
      out.assign(static_cast<size_t>(rows * n), T{});
      MultiplyRows(a.data() + row * k, b.data() + batch * k * n, out.data(), rows, n, k);
      LaneBlock lanes;
      for (int64_t at = 0; at < rows * n; at += static_cast<int64_t>(kBlock)) {
        const auto count = static_cast<size_t>(std::min<int64_t>(kBlock, rows * n - at));
        ConvertLanes(wide, type, out.data() + at, lanes.bytes, count);
        StoreLanes(type, lanes.bytes, count, to + static_cast<size_t>(row * n + at) * width);
      }
      row += rows;
    }
  });
}

}  // namespace

void MultiplyAdd(const double* lhs, const double* rhs, double* out, int64_t m, int64_t n,
                 int64_t k) {
  MultiplyRows(lhs, rhs, out, m, n, k);
}

Result<Array> DotGeneral(const OpContext& cx, const Array& lhs, const Array& rhs,
                         const DotDims& dims, ElementType result_type) {
  const Arrangement left = Arrange(lhs, dims.lhs_batch, dims.lhs_contracting, true);
  const Arrangement right = Arrange(rhs, dims.rhs_batch, dims.rhs_contracting, false);
  if (left.batch != right.batch || left.contracted != right.contracted) {
    return cx.Fail(diag::kCannotEvaluate, "batch or contracted dimensions differ in size");
  }
  Dims shape = left.batch_dims;
  shape.insert(shape.end(), left.free_dims.begin(), left.free_dims.end());
  shape.insert(shape.end(), right.free_dims.begin(), right.free_dims.end());
  const int64_t count = ElementsIn(shape);
  const int64_t work = MultiplyCapped(count, std::max<int64_t>(1, left.contracted));
  if (std::optional<Diagnostic> refused = cx.Spend(work)) return *std::move(refused);
  // Operands without elements may have a large product, which a library call need not declare.
  const int64_t bytes =
      AddCapped(MultiplyCapped(AddCapped(lhs.count(), rhs.count()), 16),
                MultiplyCapped(count, static_cast<int64_t>(StoredBytes(result_type))));
  if (std::optional<Diagnostic> refused = cx.CheckBudget(bytes)) return *std::move(refused);
  Array result = cx.Make(result_type, shape);
  if (result.count() == 0) return result;
  const auto is = [&](LaneKind kind) {
    return LaneKindOf(lhs.type()) == kind || LaneKindOf(rhs.type()) == kind;
  };
  if (is(LaneKind::kComplex)) {
    MultiplyArranged<std::complex<double>>(cx, lhs, rhs, left, right, ElementType::kC128, result);
  } else if (is(LaneKind::kFloat)) {
    MultiplyArranged<double>(cx, lhs, rhs, left, right, ElementType::kF64, result);
  } else {
    // Signed and unsigned are the same modulo 2^64. pred is summed as an integer and becomes "any"
    // at the end.
    MultiplyArranged<uint64_t>(cx, lhs, rhs, left, right,
                               is(LaneKind::kInt) && LaneKindOf(result_type) == LaneKind::kFloat
                                   ? ElementType::kS64
                                   : ElementType::kU64,
                               result);
  }
  return result;
}

Result<Value> EvalDot(OpContext& cx) {
  const auto list = [&](AttrKey key) {
    return std::vector<int64_t>(cx.ints(key).begin(), cx.ints(key).end());
  };
  const DotDims dims = {list(AttrKey::k_lhs_batch_dims), list(AttrKey::k_rhs_batch_dims),
                        list(AttrKey::k_lhs_contracting_dims),
                        list(AttrKey::k_rhs_contracting_dims)};
  Result<Array> product = DotGeneral(cx, cx.array(0), cx.array(1), dims, cx.type());
  if (!product.ok()) return product.error();
  return Value(*std::move(product));
}

}  // namespace halo
