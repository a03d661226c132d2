// Calls that produce or apply reflectors: geqrf, geqp3, orgqr, ormqr, gehrd, sytrd.
#include <algorithm>

#include "halo/eval/calls/lapack/lapack_calls.h"

namespace halo {
namespace {

std::vector<Complex> TausOf(const Matrix& column) { return column.elements; }

std::string_view Geqrf(LapackArguments& call) {
  std::vector<Complex> taus;
  FactorQr(call.in[0], taus);
  call.out = {std::move(call.in[0]), ColumnOf(taus)};
  return {};
}

std::string_view Geqp3(LapackArguments& call) {
  for (const Complex fixed : call.in[1].elements) {
    if (fixed != 0.0) return "columns that must stay in front are not known here";
  }
  std::vector<Complex> taus;
  std::vector<int64_t> order;
  FactorQrPivoted(call.in[0], order, taus);
  call.out = {std::move(call.in[0]), ColumnOf(order), ColumnOf(taus)};
  return {};
}

// TPU's product of reflectors as I + V T V^H: column j of the operand is -tau_j times V^H v_j, with
// -tau_j on the diagonal.
std::string_view CompactWy(LapackArguments& call) {
  Matrix& t = call.in[0];
  const Matrix steps = t;
  for (int64_t j = 1; j < t.columns; ++j) {
    for (int64_t i = 0; i < j; ++i) {
      t(i, j) = 0;
      for (int64_t k = i; k < j; ++k) t(i, j) += t(i, k) * steps(k, j);
    }
  }
  call.out = {std::move(t)};
  return {};
}

std::string_view Orgqr(LapackArguments& call) {
  FormQ(call.in[0], TausOf(call.in[1]));
  call.out = {std::move(call.in[0])};
  return {};
}

std::string_view Ormqr(LapackArguments& call) {
  const bool left = call.config["left"].AsBool(true);
  Matrix& c = call.in[2];
  if (call.in[0].rows != (left ? c.rows : c.columns)) return "its operands do not fit";
  ApplyQ(call.in[0], TausOf(call.in[1]), left, call.config["transpose"].AsBool(false), c);
  call.out = {std::move(c)};
  return {};
}

std::string_view Gehrd(LapackArguments& call) {
  const int64_t n = call.in[0].rows;
  if (call.config["low"].AsInt(1) != 1 || call.config["high"].AsInt(n) != n) {
    return "a part of the matrix that is triangular already is not known here";
  }
  std::vector<Complex> taus;
  ReduceToHessenberg(call.in[0], taus);
  call.out = {std::move(call.in[0]), ColumnOf(taus), Scalar(0)};
  return {};
}

std::string_view Sytrd(LapackArguments& call) {
  const bool lower = call.config["lower"].AsBool(call.config["uplo"].AsInt('L') == 'L');
  std::vector<double> diagonal;
  std::vector<double> beside;
  std::vector<Complex> taus;
  ReduceToTridiagonal(call.in[0], lower, diagonal, beside, taus);
  call.out = {std::move(call.in[0]), ColumnOf(diagonal), ColumnOf(beside), ColumnOf(taus),
              Scalar(0)};
  return {};
}

}  // namespace

void RegisterLapackFactors(CustomCallRegistry& registry) {
  const LapackRoutine geqrf = {{2}, false, Geqrf};
  const LapackRoutine geqp3 = {{2, 1}, false, Geqp3};
  const LapackRoutine orgqr = {{2, 1}, false, Orgqr};
  const LapackRoutine ormqr = {{2, 1, 2}, false, Ormqr};
  const LapackRoutine sytrd = {{2}, true, Sytrd};
  for (const std::string kind : {"s", "d", "c", "z"}) {
    const bool is_real = kind == "s" || kind == "d";
    const std::string orthogonal = kind + (is_real ? "or" : "un");
    RegisterRoutine(registry, "lapack_" + kind + "geqrf_ffi", geqrf);
    RegisterRoutine(registry, "lapack_" + kind + "geqp3_ffi", geqp3);
    RegisterRoutine(registry, "lapack_" + orthogonal + "gqr_ffi", orgqr);
    RegisterRoutine(registry, "lapack_" + orthogonal + "mqr_ffi", ormqr);
    RegisterRoutine(registry, "lapack_" + kind + "gehrd_ffi", {{2}, true, Gehrd});
    RegisterRoutine(registry, "lapack_" + kind + (is_real ? "sytrd_ffi" : "hetrd_ffi"), sytrd);
  }
  for (const std::string gpu : {"cu", "hip"}) {
    RegisterRoutine(registry, gpu + "solver_geqrf_ffi", geqrf);
    RegisterRoutine(registry, gpu + "blas_geqrf_batched_ffi", geqrf);
    RegisterRoutine(registry, gpu + "hybrid_geqp3", geqp3);
    RegisterRoutine(registry, gpu + "solver_orgqr_ffi", orgqr);
    RegisterRoutine(registry, gpu + "solver_ormqr_ffi", ormqr);
    RegisterRoutine(registry, gpu + "solver_sytrd_ffi", sytrd);
  }
  RegisterRoutine(registry, "Qr", geqrf);
  RegisterRoutine(registry, "QrDecompositionBlock", geqrf);
  RegisterRoutine(registry, "CompactWyHelper", {{2}, true, CompactWy});
  RegisterRoutine(registry, "ProductOfElementaryHouseholderReflectors", orgqr);
}

}  // namespace halo
