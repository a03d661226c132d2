// The LAPACK call by which JAX gets singular values and vectors of f32 matrices: gesdd. They are
// the eigenvalues and eigenvectors of A^T A in double, whose errors are below those of f32 as long
// as the smallest value is not tiny. Where it is, vectors come from the evaluator's routine, and so
// do f64 and complex matrices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/codegen/library/linalg/dense_matrix.h"
#include "halo/codegen/library/linalg/symmetric_eigen.h"
#include "halo/eval/calls/call_support.h"
#include "halo/eval/linalg/matrix.h"

namespace halo {
namespace {

// Below this fraction of the largest value, A v / s is not orthogonal enough.
constexpr double kSmallestForVectors = 1e-3;

class SingularCallOp : public LibraryOp {
 public:
  SingularCallOp(const PlacedArrays& operands, const PlacedArrays& results, bool vectors)
      : tall_(operands[0].dims[operands[0].dims.size() - 2] >= operands[0].dims.back()),
        vectors_(vectors),
        from_(operands[0], {.transposed = tall_}),
        spent_(results[0], {.transposed = tall_}),
        values_(results[1], {.rank = 1}),
        u_(results[2], {.transposed = true}),
        vt_(results[3], {}),
        info_(results[4], {.rank = 0}) {
    const int64_t small = from_.rows();
    const int64_t large = from_.columns();
    shares_ = ShareCount(from_.batches(), small * small * large);
    matrix_at_ = share_.Take(small * large * 8);
    long_at_ = share_.Take(small * large * 8);
    square_at_ = share_.Take(small * small * 8);
    short_at_ = share_.Take(small * small * 8);
    values_at_ = share_.Take(small * 8);
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return shares_ * share_.bytes(); }
  [[nodiscard]] std::string Text() const override {
    return "singular values, " + std::to_string(from_.batches()) + " of " +
           std::to_string(from_.columns()) + "x" + std::to_string(from_.rows());
  }

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    ForShares(from_.batches(), shares_, [&](int64_t share, int64_t begin, int64_t end) {
      uint8_t* own = static_cast<uint8_t*>(scratch) + share * share_.bytes();
      const auto at = [&](int64_t offset) { return reinterpret_cast<double*>(own + offset); };
      for (int64_t i = begin; i < end; ++i) {
        double* a = at(matrix_at_);
        from_.Load(buffers[0], i, a);
        Decompose(a, at(long_at_), at(square_at_), at(short_at_), at(values_at_));
        double info = std::isnan(at(values_at_)[0]) ? 1 : 0;
        std::fill_n(a, from_.rows() * from_.columns(), 0.0);
        spent_.Store(a, i, buffers[1]);
        values_.Store(at(values_at_), i, buffers[2]);
        u_.Store(tall_ ? at(long_at_) : at(short_at_), i, buffers[3]);
        vt_.Store(tall_ ? at(short_at_) : at(long_at_), i, buffers[4]);
        info_.Store(&info, i, buffers[5]);
      }
    });
    return std::nullopt;
  }

 private:
  // Of `a`, whose rows are the longer side: values in descending order, and the vectors of both
  // sides as rows.
  void Decompose(const double* a, double* long_rows, double* square, double* short_rows,
                 double* values) const {
    const int64_t n = from_.rows();
    const int64_t length = from_.columns();
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        square[i * n + j] = DotOf(a + i * length, a + j * length, length);
      }
    }
    std::fill_n(long_rows, n * length, 0.0);
    if (!SymmetricEigen(square, n, values, vectors_ ? short_rows : nullptr)) {
      std::fill_n(values, n, std::numeric_limits<double>::quiet_NaN());
      std::fill_n(short_rows, n * n, std::numeric_limits<double>::quiet_NaN());
      std::fill_n(long_rows, n * length, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    std::reverse(values, values + n);
    for (int64_t i = 0; i < n; ++i) values[i] = std::sqrt(std::max(values[i], 0.0));
    if (!vectors_) {
      std::fill_n(short_rows, n * n, 0.0);
      return;
    }
    if (!(values[n - 1] > kSmallestForVectors * values[0])) {
      return DecomposeCarefully(a, long_rows, short_rows, values);
    }
    for (int64_t i = 0; i < n / 2; ++i) {
      std::swap_ranges(short_rows + i * n, short_rows + (i + 1) * n, short_rows + (n - 1 - i) * n);
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        SubtractScaled(-short_rows[i * n + j] / values[i], a + j * length, long_rows + i * length,
                       length);
      }
    }
  }

  void DecomposeCarefully(const double* a, double* long_rows, double* short_rows,
                          double* values) const {
    const int64_t n = from_.rows();
    const int64_t length = from_.columns();
    Matrix matrix(n, length);
    std::copy_n(a, n * length, matrix.elements.begin());
    Matrix u;
    Matrix vt;
    std::vector<double> s;
    DecomposeSingular(matrix, n, n, u, s, vt);
    std::ranges::copy(s, values);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) short_rows[i * n + j] = u(j, i).real();
      for (int64_t j = 0; j < length; ++j) long_rows[i * length + j] = vt(i, j).real();
    }
  }

  bool tall_, vectors_;
  MatrixMove from_, spent_, values_, u_, vt_, info_;
  ScratchLayout share_;  // of one thread
  int64_t matrix_at_ = 0, long_at_ = 0, square_at_ = 0, short_at_ = 0, values_at_ = 0;
  int64_t shares_ = 1;
};

bool HasFloats(const Placed& array, Dims batch, std::initializer_list<int64_t> dims) {
  batch.insert(batch.end(), dims);
  return array.type == ElementType::kF32 && array.dims == batch;
}

}  // namespace

std::unique_ptr<LibraryOp> MakeGesddCallOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  const auto config = ParseCallConfig(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!operands || !results || !config || operands->size() != 1 || results->size() != 5) {
    return nullptr;
  }
  const Placed& a = (*operands)[0];
  if (a.type != ElementType::kF32 || a.dims.size() < 2 || a.count() == 0) return nullptr;
  const Dims batch(a.dims.begin(), a.dims.end() - 2);
  const int64_t rows = a.dims[a.dims.size() - 2];
  const int64_t columns = a.dims.back();
  const int64_t few = std::min(rows, columns);
  const bool vectors = (*config)["mode"].AsInt('S') != 'N';
  // Only as many vectors as values.
  if (!HasFloats((*results)[0], batch, {rows, columns}) ||
      !HasFloats((*results)[1], batch, {few}) || !HasFloats((*results)[2], batch, {rows, few}) ||
      !HasFloats((*results)[3], batch, {few, columns}) || (*results)[4].dims != batch) {
    return nullptr;
  }
  // Matrices of a batch are replaced one after the other.
  if (module.Find(inst, AttrKey::k_output_to_operand_aliasing) != nullptr &&
      a.strides != (*results)[0].strides) {
    return nullptr;
  }
  return std::make_unique<SingularCallOp>(*operands, *results, vectors);
}

}  // namespace halo
