// Calls that factor in order to solve: getrf, potrf, trsm, gtsv and related calls.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "halo/eval/calls/lapack/lapack_calls.h"

namespace halo {
namespace {

// Characters are passed as numbers; cuSOLVER's calls have a flag instead.
bool IsLower(const JsonValue& config) {
  return config["lower"].AsBool(config["uplo"].AsInt('L') == 'L');
}

std::string_view Getrf(LapackArguments& call) {
  std::vector<int64_t> pivots;
  const int64_t info = FactorLu(call.in[0], pivots);
  call.out = {std::move(call.in[0]), ColumnOf(pivots), Scalar(info)};
  return {};
}

// XLA's own LU call: pivots are 0-based, and the permutation is also returned.
std::string_view LuDecomposition(LapackArguments& call) {
  std::vector<int64_t> pivots;
  FactorLu(call.in[0], pivots);
  std::vector<int64_t> rows(static_cast<size_t>(call.in[0].rows));
  std::iota(rows.begin(), rows.end(), 0);
  for (size_t i = 0; i < pivots.size(); ++i) {
    pivots[i] -= 1;
    std::swap(rows[i], rows[static_cast<size_t>(pivots[i])]);
  }
  call.out = {std::move(call.in[0]), ColumnOf(pivots), ColumnOf(rows)};
  return {};
}

// TPU's factor of a block has zeros above the diagonal.
std::string_view CholeskyBlock(LapackArguments& call) {
  Matrix& a = call.in[0];
  FactorCholesky(a, true);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = i + 1; j < a.columns; ++j) a(i, j) = 0;
  }
  call.out = {std::move(a)};
  return {};
}

// TPU's triangular solves multiply by the inverses of the blocks on the diagonal.
template <bool kLower>
std::string_view InvertTriangular(LapackArguments& call) {
  const Matrix& a = call.in[0];
  if (a.rows != a.columns) return "its operand is not square";
  Matrix inverse(a.rows, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) inverse(i, i) = 1;
  SolveTriangular(a, {.left = true, .lower = kLower}, inverse);
  call.out = {std::move(inverse)};
  return {};
}

std::string_view PivotsToPermutation(LapackArguments& call) {
  std::vector<int64_t> rows(static_cast<size_t>(std::max<int64_t>(0, call.declared[0].first)));
  std::iota(rows.begin(), rows.end(), 0);
  const Matrix& pivots = call.in[0];
  for (int64_t i = 0; i < pivots.rows && i < static_cast<int64_t>(rows.size()); ++i) {
    const double pivot = pivots(i, 0).real();
    if (pivot < 0 || pivot >= static_cast<double>(rows.size())) return "a pivot is out of range";
    std::swap(rows[static_cast<size_t>(i)], rows[static_cast<size_t>(pivot)]);
  }
  call.out = {ColumnOf(rows)};
  return {};
}

std::string_view Potrf(LapackArguments& call) {
  const int64_t info = FactorCholesky(call.in[0], IsLower(call.config));
  call.out = {std::move(call.in[0]), Scalar(info)};
  return {};
}

std::string_view SolveFor(LapackArguments& call, const Triangular& how) {
  const Matrix& a = call.in[0];
  Matrix& b = call.in[1];
  if (a.rows != (how.left ? b.rows : b.columns)) return "its operands do not fit";
  SolveTriangular(a, how, b);
  call.out = {std::move(b)};
  return {};
}

std::string_view Trsm(LapackArguments& call) {
  Triangular how;
  how.left = call.config["side"].AsInt('L') == 'L';
  how.lower = IsLower(call.config);
  how.unit_diagonal = call.config["diag"].AsInt('N') == 'U';
  how.transpose = static_cast<char>(call.config["trans_x"].AsInt('N'));
  return SolveFor(call, how);
}

// XLA's GPU compiler keeps the attributes of the triangular-solve that it replaces.
std::string_view CublasTriangularSolve(LapackArguments& call) {
  const std::string_view transpose = call.config["transpose_a"].AsString("NO_TRANSPOSE");
  Triangular how;
  how.left = call.config["left_side"].AsBool(false);
  how.lower = call.config["lower"].AsBool(false);
  how.unit_diagonal = call.config["unit_diagonal"].AsBool(false);
  how.transpose = transpose == "ADJOINT" ? 'C' : transpose == "TRANSPOSE" ? 'T' : 'N';
  return SolveFor(call, how);
}

// Solves tridiagonal systems by elimination with exchanges of adjacent rows. Does not use the first
// element of the first operand and the last element of the third.
int64_t SolveTridiagonal(std::vector<Matrix>& in) {
  const int64_t n = in[1].rows;
  Matrix full(n, n);
  for (int64_t i = 0; i < n; ++i) {
    full(i, i) = in[1](i, 0);
    if (i > 0) full(i, i - 1) = in[0](i, 0);
    if (i + 1 < n) full(i, i + 1) = in[2](i, 0);
  }
  std::vector<int64_t> pivots;
  const int64_t info = FactorLu(full, pivots);
  Matrix& b = in[3];
  for (int64_t i = 0; i < n; ++i) {
    const int64_t other = pivots[static_cast<size_t>(i)] - 1;
    for (int64_t c = 0; c < b.columns; ++c) std::swap(b(i, c), b(other, c));
  }
  SolveTriangular(full, {.left = true, .lower = true, .unit_diagonal = true}, b);
  SolveTriangular(full, {.left = true, .lower = false}, b);
  return info;
}

bool IsTridiagonal(const std::vector<Matrix>& in) {
  return in[0].rows == in[1].rows && in[2].rows == in[1].rows && in[3].rows == in[1].rows &&
         in[1].rows <= 4096;
}

std::string_view Gtsv(LapackArguments& call) {
  if (!IsTridiagonal(call.in)) return "its diagonals and right-hand sides differ in length";
  const int64_t info = SolveTridiagonal(call.in);
  call.out = {call.in[0], call.in[1], call.in[2], call.in[3], Scalar(info)};
  return {};
}

std::string_view Gtsv2(LapackArguments& call) {
  if (!IsTridiagonal(call.in)) return "its diagonals and right-hand sides differ in length";
  SolveTridiagonal(call.in);
  call.out = {call.in[3]};
  return {};
}

}  // namespace

void RegisterLapackSolvers(CustomCallRegistry& registry) {
  const LapackRoutine getrf = {{2}, false, Getrf};
  const LapackRoutine potrf = {{2}, true, Potrf};
  for (const std::string kind : {"s", "d", "c", "z"}) {
    RegisterRoutine(registry, "lapack_" + kind + "getrf_ffi", getrf);
    RegisterRoutine(registry, "lapack_" + kind + "potrf_ffi", potrf);
    RegisterRoutine(registry, "lapack_" + kind + "trsm_ffi", {{2, 2}, true, Trsm});
    RegisterRoutine(registry, "lapack_" + kind + "gtsv_ffi", {{1, 1, 1, 2}, false, Gtsv});
  }
  for (const std::string gpu : {"cu", "hip"}) {
    RegisterRoutine(registry, gpu + "solver_getrf_ffi", getrf);
    RegisterRoutine(registry, gpu + "blas_getrf_batched_ffi", getrf);
    RegisterRoutine(registry, gpu + "solver_potrf_ffi", potrf);
    RegisterRoutine(registry, gpu + "sparse_gtsv2_ffi", {{1, 1, 1, 2}, false, Gtsv2});
    RegisterRoutine(registry, gpu + "_lu_pivots_to_permutation",
                    {{1}, false, PivotsToPermutation, 1});
  }
  RegisterRoutine(registry, "__cublas$triangularSolve", {{2, 2}, true, CublasTriangularSolve});
  RegisterRoutine(registry, "LuDecomposition", {{2}, false, LuDecomposition});
  RegisterRoutine(registry, "LuDecompositionBlock", {{2}, false, LuDecomposition});
  RegisterRoutine(registry, "Cholesky", {{2}, true, CholeskyBlock});
  RegisterRoutine(registry, "InvertDiagBlocksLowerTriangular",
                  {{2}, false, InvertTriangular<true>});
  RegisterRoutine(registry, "InvertDiagBlocksUpperTriangular",
                  {{2}, false, InvertTriangular<false>});
}

}  // namespace halo
