// cholesky and triangular-solve of real matrices, in double like the evaluator's, by blocks: the
// work within a block is small, and everything after it is a GEMM.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "halo/codegen/library/linalg/dense_matrix.h"
#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/eval/calls/call_support.h"

namespace halo {
namespace {

constexpr int64_t kBlock = 64;

// c -= a * b for row-major submatrices; b may be stored transposed.
void SubtractProduct(const double* a, int64_t a_row, const double* b, int64_t b_row,
                     bool b_transposed, double* c, int64_t c_row, int64_t m, int64_t n, int64_t k) {
  if (m == 0 || n == 0 || k == 0) return;
  using enum ElementType;
  Product p = {.a_type = kF64,
               .b_type = kF64,
               .c_type = kF64,
               .batch = {},
               .m = m,
               .n = n,
               .k = k,
               .a = {a_row, 1, {}},
               .b = {b_row, 1, {}},
               .c = {c_row, 1, {}},
               .alpha = -1,
               .beta = 1};
  if (b_transposed) std::swap(p.b.row, p.b.column);
  MakeBlockedProduct(p)->Run(a, b, c, nullptr);
}

// Computes the lower factor in place, with zeros above; all NaN if there is none.
void Factor(double* a, int64_t n) {
  bool failed = false;
  std::vector<double> roots(static_cast<size_t>(std::min(n, kBlock)));
  for (int64_t begin = 0; begin < n && !failed; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, n);
    const auto eliminate = [&](int64_t i, int64_t last) {
      double* row = a + i * n;
      for (int64_t j = begin; j < last; ++j) {
        const double rest = row[j] - DotOf(row + begin, a + j * n + begin, j - begin);
        double& root = roots[static_cast<size_t>(j - begin)];
        if (i == j) {
          root = std::sqrt(rest);
          failed = failed || std::isnan(root);
        }
        // A zero root shows up in the values that are divided by it.
        row[j] = i == j && n == 1 ? root : rest / root;
      }
    };
    for (int64_t i = begin; i < end; ++i) eliminate(i, i + 1);
    if (failed) break;
    TeamFor(n - end, 64, [&](int64_t first, int64_t last) {
      for (int64_t i = end + first; i < end + last; ++i) eliminate(i, end);
    });
    // Strips of the remaining matrix, each from its own diagonal down.
    constexpr int64_t kStrip = 256;
    for (int64_t column = end; column < n; column += kStrip) {
      const int64_t width = std::min(kStrip, n - column);
      SubtractProduct(a + column * n + begin, n, a + column * n + begin, n, true,
                      a + column * n + column, n, n - column, width, end - begin);
    }
  }
  if (failed) {
    std::fill_n(a, n * n, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, 0.0);
}

// Solves in place: replaces x [n, vectors] by the y for which the lower triangle times y is x.
void Solve(const double* a, int64_t n, bool unit_diagonal, double* x, int64_t vectors) {
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, n);
    TeamFor(vectors, 64, [&](int64_t first, int64_t last) {
      const int64_t width = last - first;
      for (int64_t i = begin; i < end; ++i) {
        double* row = x + i * vectors + first;
        for (int64_t j = begin; j < i; ++j) {
          SubtractScaled(a[i * n + j], x + j * vectors + first, row, width);
        }
        if (unit_diagonal) continue;
        const double diagonal = a[i * n + i];
        for (int64_t v = 0; v < width; ++v) row[v] /= diagonal;
      }
    });
    SubtractProduct(a + end * n + begin, n, x + begin * vectors, vectors, false, x + end * vectors,
                    vectors, n - end, vectors, end - begin);
  }
}

class CholeskyOp : public LibraryOp {
 public:
  CholeskyOp(const Placed& operand, const Placed& result, bool lower)
      : from_(operand, {.transposed = !lower}),
        to_(result, {.transposed = !lower}),
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

class TriangularSolveOp : public LibraryOp {
 public:
  struct How {
    bool left_side, lower, unit_diagonal, transpose;
  };
  TriangularSolveOp(const Placed& a, const Placed& b, const Placed& result, const How& how)
      : unit_diagonal_(how.unit_diagonal) {
    // Everything is expressed as a lower triangle times columns: for the right side all matrices
    // are transposed, and an upper triangle is a reversed lower one.
    const bool transposed = how.transpose != !how.left_side;
    const bool reversed = how.lower == transposed;
    a_ = MatrixMove(a, {transposed, reversed, reversed});
    b_ = MatrixMove(b, {!how.left_side, reversed});
    x_ = MatrixMove(result, {!how.left_side, reversed});
    batches_ = b_.batches();
    shares_ = ShareCount(batches_, n() * n() * vectors());
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return shares_ * ShareBytes(); }
  [[nodiscard]] std::string Text() const override {
    return "triangular solve by blocks, " + std::to_string(batches_) + " of " +
           std::to_string(n()) + "x" + std::to_string(vectors());
  }
  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    ForShares(batches_, shares_, [&](int64_t share, int64_t begin, int64_t end) {
      auto* a = reinterpret_cast<double*>(static_cast<uint8_t*>(scratch) + share * ShareBytes());
      double* x = a + (n() * n() + 7) / 8 * 8;
      for (int64_t i = begin; i < end; ++i) {
        a_.Load(buffers[0], i, a);
        b_.Load(buffers[1], i, x);
        Solve(a, n(), unit_diagonal_, x, vectors());
        x_.Store(x, i, buffers[2]);
      }
    });
    return std::nullopt;
  }

 private:
  [[nodiscard]] int64_t n() const { return a_.rows(); }
  [[nodiscard]] int64_t vectors() const { return b_.columns(); }
  [[nodiscard]] int64_t ShareBytes() const {
    return (n() * n() + 7) / 8 * 64 + (n() * vectors() + 7) / 8 * 64;
  }

  MatrixMove a_, b_, x_;
  bool unit_diagonal_;
  int64_t batches_ = 0, shares_ = 1;
};

bool AreReal(const std::vector<Placed>& arrays) {
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
  const TriangularSolveOp::How how = {.left_side = (*config)["side"].AsInt('L') == 'L',
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
  return std::make_unique<TriangularSolveOp>(a, b, (*results)[0], how);
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
  return std::make_unique<TriangularSolveOp>(
      (*operands)[0], (*operands)[1], (*results)[0],
      TriangularSolveOp::How{
          .left_side = module.BoolOr(inst.attrs, AttrKey::k_left_side, false),
          .lower = module.BoolOr(inst.attrs, AttrKey::k_lower, false),
          .unit_diagonal = module.BoolOr(inst.attrs, AttrKey::k_unit_diagonal, false),
          .transpose = transpose == "TRANSPOSE" || transpose == "ADJOINT"});
}

}  // namespace halo
