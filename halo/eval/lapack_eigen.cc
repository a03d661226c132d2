// Calls that yield eigenvalues or singular values. Vectors are determined up to sign or phase only,
// and any basis of a multiple value's space is right: results that show them differ between
// libraries.
#include <algorithm>
#include <utility>

#include "halo/eval/lapack_calls.h"

namespace halo {
namespace {

// The whole of a Hermitian matrix of which one triangle counts.
void MirrorTriangle(Matrix& a, bool lower) {
  for (int64_t i = 0; i < a.rows; ++i) {
    a(i, i) = a(i, i).real();
    for (int64_t j = 0; j < i; ++j) {
      if (lower) {
        a(j, i) = std::conj(a(i, j));
      } else {
        a(i, j) = std::conj(a(j, i));
      }
    }
  }
}

std::string_view Syevd(LapackArguments& call) {
  const bool lower = call.config["lower"].AsBool(call.config["uplo"].AsInt('L') == 'L');
  Matrix& a = call.in[0];
  MirrorTriangle(a, lower);
  std::vector<double> values;
  DecomposeHermitian(a, values);
  call.out = {std::move(a), ColumnOf(values), Scalar(0)};
  return {};
}

// Sizes that a call may declare for vectors of an m x n matrix: all, as many as there are values,
// or none at all.
int64_t VectorCount(int64_t declared, int64_t all, int64_t few) {
  return declared == all || declared == few ? declared : few;
}

std::string_view Singular(LapackArguments& call, bool transposed_v) {
  const Matrix& a = call.in[0];
  if (call.declared.size() < 5) return "yields five results";
  const int64_t few = std::min(a.rows, a.columns);
  const auto [u_rows, u_columns] = call.declared[2];
  const auto [v_rows, v_columns] = call.declared[3];
  Matrix u;
  Matrix vt;
  std::vector<double> s;
  DecomposeSingular(a, VectorCount(u_columns, a.rows, few),
                    VectorCount(transposed_v ? v_rows : v_columns, a.columns, few), u, s, vt);
  Matrix v = transposed_v ? std::move(vt) : vt.Adjoint();
  // Calls that do not ask for vectors may declare scalars in their place.
  if (u.rows != u_rows || u.columns != u_columns) u = Matrix(u_rows, u_columns);
  if (v.rows != v_rows || v.columns != v_columns) v = Matrix(v_rows, v_columns);
  Matrix spent(a.rows, a.columns);
  call.out = {std::move(spent), ColumnOf(s), std::move(u), std::move(v), Scalar(0)};
  return {};
}

std::string_view Gesdd(LapackArguments& call) { return Singular(call, true); }
std::string_view Gesvdj(LapackArguments& call) { return Singular(call, false); }

// cuSOLVER's gesvd takes tall matrices only; a wide one is passed as its row-major self, which is
// its transpose, and the two sets of vectors change places.
std::string_view CuGesvd(LapackArguments& call) {
  if (!call.config["transposed"].AsBool(false)) return Singular(call, true);
  if (call.declared.size() < 5) return "yields five results";
  std::swap(call.declared[2], call.declared[3]);
  const std::string_view wrong = Singular(call, true);
  if (wrong.empty()) std::swap(call.out[2], call.out[3]);
  return wrong;
}

}  // namespace

void RegisterLapackEigen(CustomCallRegistry& registry) {
  const LapackRoutine syevd = {{2}, true, Syevd};
  const LapackRoutine gesdd = {{2}, false, Gesdd};
  for (const std::string kind : {"s", "d", "c", "z"}) {
    const bool is_real = kind == "s" || kind == "d";
    RegisterRoutine(registry, "lapack_" + kind + (is_real ? "syevd_ffi" : "heevd_ffi"), syevd);
    RegisterRoutine(registry, "lapack_" + kind + "gesdd_ffi", gesdd);
    RegisterRoutine(registry, "lapack_" + kind + "gesvd_ffi", gesdd);
  }
  for (const std::string gpu : {"cu", "hip"}) {
    RegisterRoutine(registry, gpu + "solver_syevd_ffi", syevd);
    RegisterRoutine(registry, gpu + "solver_gesvd_ffi", {{2}, false, CuGesvd});
    RegisterRoutine(registry, gpu + "solver_gesdd_ffi", gesdd);
    RegisterRoutine(registry, gpu + "solver_gesvdj_ffi", {{2}, false, Gesvdj});
    RegisterRoutine(registry, gpu + "solver_gesvdp_ffi", {{2}, false, Gesvdj});
  }
}

}  // namespace halo
