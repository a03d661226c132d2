// cholesky and triangular-solve of real matrices, in double like the evaluator's, and LAPACK's trsm
// in the type that the call names.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/codegen/library/linalg/dense_factor.h"
#include "halo/codegen/library/linalg/dense_kernels.h"
#include "halo/codegen/library/linalg/dense_matrix.h"
#include "halo/eval/calls/call_support.h"

namespace halo {
namespace {

template <class T>
constexpr ElementType kTypeOf = std::is_same_v<T, float> ? ElementType::kF32 : ElementType::kF64;

// Computes the lower factor of a column-major matrix in place, with zeros above; all NaN if there
// is none.
void Factor(double* a, int64_t n) {
  if (FactorDenseCholesky(a, n, /*allows_zeros=*/true) >= 0) {
    std::fill_n(a, n * n, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (int64_t j = 0; j < n; ++j) std::fill_n(a + j * n, j, 0.0);
}

class CholeskyOp : public LibraryOp {
 public:
  CholeskyOp(const Placed& operand, const Placed& result, bool lower)
      : from_(operand, {.transposed = lower}),
        to_(result, {.transposed = lower}),
        batches_(from_.batches()) {
    shares_ = ShareCount(batches_, n() * n() * n());
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return shares_ * ShareBytes(); }
  [[nodiscard]] std::string Text() const override {
    return "cholesky by blocks, " + std::to_string(batches_) + " of " + std::to_string(n());
  }
  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    ForShares(batches_, shares_, [&](int64_t share, int64_t begin, int64_t end) {
      auto* a = reinterpret_cast<double*>(static_cast<uint8_t*>(scratch) + share * ShareBytes());
      for (int64_t i = begin; i < end; ++i) {
        from_.Load(buffers[0], i, a);
        Factor(a, n());
        to_.Store(a, i, buffers[1]);
      }
    });
    return std::nullopt;
  }

 private:
  [[nodiscard]] int64_t n() const { return from_.rows(); }
  [[nodiscard]] int64_t ShareBytes() const { return (n() * n() * 8 + 63) / 64 * 64; }

  MatrixMove from_, to_;
  int64_t batches_, shares_ = 1;
};

struct TriangularHow {
  bool left_side, lower, unit_diagonal, transpose;
};

// Computes in T. Arrays of that type are used where they are.
template <class T>
class TriangularSolveOp : public LibraryOp {
 public:
  TriangularSolveOp(const Placed& a, const Placed& b, const Placed& result,
                    const TriangularHow& how)
      : unit_diagonal_(how.unit_diagonal) {
    // Everything is expressed as a lower triangle times columns: for the right side all matrices
    // are transposed, and an upper triangle is a reversed lower one.
    const bool transposed = how.transpose != !how.left_side;
    const bool reversed = how.lower == transposed;
    const ElementType dense = kTypeOf<T>;
    a_ = MatrixMove(a, {.transposed = transposed,
                        .reversed_rows = reversed,
                        .reversed_columns = reversed,
                        .dense = dense});
    const MatrixMove::How columns = {
        .transposed = !how.left_side, .reversed_rows = reversed, .dense = dense};
    b_ = MatrixMove(b, columns);
    x_ = MatrixMove(result, columns);
    in_place_ = a_.IsSameType() && b_.IsSameType() && x_.IsSameType();
    batches_ = b_.batches();
    shares_ = ShareCount(batches_, n() * n() * vectors());
  }
  [[nodiscard]] int64_t scratch_bytes() const override {
    return in_place_ ? 0 : shares_ * ShareBytes();
  }
  [[nodiscard]] std::string Text() const override {
    return "triangular solve by blocks, " + std::to_string(batches_) + " of " +
           std::to_string(n()) + "x" + std::to_string(vectors());
  }
  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    ForShares(batches_, shares_, [&](int64_t share, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (in_place_) {
          Solve(a_.View<const T>(buffers[0], i), b_.View<const T>(buffers[1], i),
                x_.View<T>(buffers[2], i));
          continue;
        }
        auto* a = reinterpret_cast<T*>(static_cast<uint8_t*>(scratch) + share * ShareBytes());
        T* x = a + UpToLine(n() * n());
        a_.Load(buffers[0], i, a);
        b_.Load(buffers[1], i, x);
        Solve({a, n(), 1}, {x, vectors(), 1}, {x, vectors(), 1});
        x_.Store(x, i, buffers[2]);
      }
    });
    return std::nullopt;
  }

 private:
  [[nodiscard]] int64_t n() const { return a_.rows(); }
  [[nodiscard]] int64_t vectors() const { return b_.columns(); }
  static int64_t UpToLine(int64_t elements) {
    constexpr int64_t kLine = 64 / sizeof(T);
    return (elements + kLine - 1) / kLine * kLine;
  }
  [[nodiscard]] int64_t ShareBytes() const {
    return (UpToLine(n() * n()) + UpToLine(n() * vectors())) * static_cast<int64_t>(sizeof(T));
  }
  void Solve(const Strided<const T>& a, const Strided<const T>& b, const Strided<T>& x) const {
    SolveLower(n(), a, unit_diagonal_, vectors(), b, x);
  }

  MatrixMove a_, b_, x_;
  bool unit_diagonal_, in_place_ = false;
  int64_t batches_ = 0, shares_ = 1;
};

bool AreReal(const PlacedArrays& arrays) {
  return std::ranges::all_of(arrays, [](const Placed& array) {
    return InfoOf(array.type).klass == ElementClass::kFloat && array.dims.size() >= 2 &&
           array.count() > 0;
  });
}

}  // namespace

std::unique_ptr<LibraryOp> MakeCholeskyOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (!operands || operands->size() != 1 || !results || results->size() != 1 ||
      !AreReal(*operands) || !AreReal(*results) || (*operands)[0].dims != (*results)[0].dims) {
    return nullptr;
  }
  return std::make_unique<CholeskyOp>((*operands)[0], (*results)[0],
                                      module.BoolOr(inst.attrs, AttrKey::k_lower, false));
}

// trsm, as JAX calls LAPACK's on the CPU. Characters are passed as numbers.
std::unique_ptr<LibraryOp> MakeTrsmCallOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  const auto config = ParseCallConfig(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!config || !operands || operands->size() != 2 || !results || results->size() != 1 ||
      !AreReal(*operands) || !AreReal(*results) || (*operands)[1].dims != (*results)[0].dims) {
    return nullptr;
  }
  const TriangularHow how = {.left_side = (*config)["side"].AsInt('L') == 'L',
                             .lower = (*config)["uplo"].AsInt('L') == 'L',
                             .unit_diagonal = (*config)["diag"].AsInt('N') == 'U',
                             .transpose = (*config)["trans_x"].AsInt('N') != 'N'};
  // Nothing has checked the operands of a call.
  const Placed& a = (*operands)[0];
  const Placed& b = (*operands)[1];
  const size_t rank = a.dims.size();
  const int64_t n = a.dims[rank - 1];
  const bool is_aliased = module.Find(inst, AttrKey::k_output_to_operand_aliasing) != nullptr;
  if ((is_aliased && b.strides != (*results)[0].strides) || b.dims.size() != rank ||
      a.dims[rank - 2] != n || b.dims[how.left_side ? rank - 2 : rank - 1] != n ||
      !std::equal(a.dims.begin(), a.dims.end() - 2, b.dims.begin())) {
    return nullptr;
  }
  if (a.type == ElementType::kF32) {
    return std::make_unique<TriangularSolveOp<float>>(a, b, (*results)[0], how);
  }
  return std::make_unique<TriangularSolveOp<double>>(a, b, (*results)[0], how);
}

std::unique_ptr<LibraryOp> MakeTriangularSolveOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (!operands || operands->size() != 2 || !results || results->size() != 1 ||
      !AreReal(*operands) || !AreReal(*results) || (*operands)[1].dims != (*results)[0].dims) {
    return nullptr;
  }
  const std::string_view transpose =
      module.TextOr(inst.attrs, AttrKey::k_transpose_a, "NO_TRANSPOSE");
  return std::make_unique<TriangularSolveOp<double>>(
      (*operands)[0], (*operands)[1], (*results)[0],
      TriangularHow{.left_side = module.BoolOr(inst.attrs, AttrKey::k_left_side, false),
                    .lower = module.BoolOr(inst.attrs, AttrKey::k_lower, false),
                    .unit_diagonal = module.BoolOr(inst.attrs, AttrKey::k_unit_diagonal, false),
                    .transpose = transpose == "TRANSPOSE" || transpose == "ADJOINT"});
}

}  // namespace halo
