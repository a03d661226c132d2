// Calls that yield eigenvalues or singular values. Vectors are determined only up to sign or phase,
// and any basis of a repeated value's space is correct, so results that expose vectors differ
// between libraries.
#include <algorithm>
#include <utility>

#include "halo/eval/calls/lapack/lapack_calls.h"

namespace halo {
namespace {

// Completes a Hermitian matrix from the triangle that holds the data.
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

// XLA's own call, which JAX makes for TPUs: the first option says which triangle holds the data.
// Its sweeps, its tolerance and whether values are sorted are not needed here: they always are.
std::string_view Eigh(LapackArguments& call) {
  const std::vector<JsonValue>& options = call.config.items;
  Matrix& a = call.in[0];
  MirrorTriangle(a, options.empty() || options[0].AsInt(1) != 0);
  std::vector<double> values;
  DecomposeHermitian(a, values);
  call.out = {std::move(a), ColumnOf(values)};
  return {};
}

// What TPUs make of Eigh: the quarters of a symmetric matrix, by rows. Yields the values in halves
// and the quarters of a matrix whose rows are the vectors. A matrix of odd size has been padded
// with zeros, and readers of the results drop the last value and vector.
std::string_view EighOfQuarters(LapackArguments& call) {
  const int64_t half = call.in[0].rows;
  const bool fits = std::ranges::all_of(call.in, [half](const Matrix& quarter) {
    return quarter.rows == half && quarter.columns == half;
  });
  if (!fits) return "takes four square matrices of one size";
  const auto from_quarters = [&](int64_t i, int64_t j) {
    const auto quarter = static_cast<size_t>(i / half * 2 + j / half);
    return call.in[quarter](i % half, j % half);
  };
  int64_t size = 2 * half;
  bool is_padded = size > 0;
  for (int64_t i = 0; i < 2 * half; ++i) {
    is_padded = is_padded && from_quarters(size - 1, i) == 0.0 && from_quarters(i, size - 1) == 0.0;
  }
  if (is_padded) --size;
  Matrix a(size, size);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) a(i, j) = from_quarters(i, j);
  }
  MirrorTriangle(a, true);
  std::vector<double> values;
  DecomposeHermitian(a, values);
  if (is_padded) values.push_back(0);
  const auto middle = values.begin() + half;
  call.out = {ColumnOf(std::vector(values.begin(), middle)),
              ColumnOf(std::vector(middle, values.end()))};
  call.out.resize(6, Matrix(half, half));
  for (int64_t i = 0; i < 2 * half; ++i) {
    for (int64_t j = 0; j < 2 * half; ++j) {
      const bool is_inside = i < size && j < size;
      call.out[static_cast<size_t>(2 + i / half * 2 + j / half)](i % half, j % half) =
          is_inside ? a(j, i)
          : i == j  ? 1.0
                    : 0.0;
    }
  }
  return {};
}

// Returns how many vectors of an m x n matrix to compute. A call may declare all of them, as many
// as there are values, or none.
int64_t VectorCount(int64_t declared, int64_t all, int64_t few) {
  return declared == all || declared == few ? declared : few;
}

std::string_view Singular(LapackArguments& call, bool transposed_v) {
  const Matrix& a = call.in[0];
  const int64_t few = std::min(a.rows, a.columns);
  const auto [u_rows, u_columns] = call.declared[2];
  const auto [v_rows, v_columns] = call.declared[3];
  Matrix u;
  Matrix vt;
  std::vector<double> s;
  DecomposeSingular(a, VectorCount(u_columns, a.rows, few),
                    VectorCount(transposed_v ? v_rows : v_columns, a.columns, few), u, s, vt);
  Matrix v = transposed_v ? std::move(vt) : vt.Adjoint();
  // Calls that do not request vectors may declare scalars instead.
  if (u.rows != u_rows || u.columns != u_columns) u = Matrix(u_rows, u_columns);
  if (v.rows != v_rows || v.columns != v_columns) v = Matrix(v_rows, v_columns);
  Matrix spent(a.rows, a.columns);
  call.out = {std::move(spent), ColumnOf(s), std::move(u), std::move(v), Scalar(0)};
  return {};
}

std::string_view Gesdd(LapackArguments& call) { return Singular(call, true); }
std::string_view Gesvdj(LapackArguments& call) { return Singular(call, false); }

// cuSOLVER's gesvd accepts tall matrices only. A wide matrix is passed as its row-major form, which
// is its transpose, and the two sets of vectors are swapped.
std::string_view CuGesvd(LapackArguments& call) {
  if (!call.config["transposed"].AsBool(false)) return Singular(call, true);
  std::swap(call.declared[2], call.declared[3]);
  const std::string_view wrong = Singular(call, true);
  if (wrong.empty()) std::swap(call.out[2], call.out[3]);
  return wrong;
}

// Returns the eigenvalues of a real matrix in conjugate pairs, the one with positive imaginary part
// first, as LAPACK lists them. `order` receives the original position of each.
std::vector<Complex> InPairs(const std::vector<Complex>& values, std::vector<int64_t>& order) {
  double norm = 0;
  for (const Complex value : values) norm = std::max(norm, std::abs(value));
  std::vector<bool> taken(values.size());
  std::vector<Complex> out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (taken[i]) continue;
    taken[i] = true;
    size_t partner = i;
    double nearest = norm * 1e-7;
    for (size_t j = i + 1; std::abs(values[i].imag()) > norm * 1e-13 && j < values.size(); ++j) {
      const double distance = std::abs(values[j] - std::conj(values[i]));
      if (taken[j] || !(distance < nearest)) continue;
      nearest = distance;
      partner = j;
    }
    if (partner == i) {
      out.emplace_back(values[i].real());
      order.push_back(static_cast<int64_t>(i));
      continue;
    }
    taken[partner] = true;
    const size_t above = values[i].imag() > 0 ? i : partner;
    const Complex value = values[above];
    out.push_back(value);
    out.push_back(std::conj(value));
    order.push_back(static_cast<int64_t>(above));
    order.push_back(static_cast<int64_t>(above));
  }
  return out;
}

// Returns the columns in that order. The second column of a pair is the conjugate of the first.
Matrix PairedColumns(const Matrix& v, const std::vector<Complex>& values,
                     const std::vector<int64_t>& order) {
  Matrix out(v.rows, v.columns);
  for (int64_t j = 0; j < v.columns; ++j) {
    const auto at = static_cast<size_t>(j);
    for (int64_t i = 0; i < v.rows; ++i) {
      const Complex value = v(i, order[at]);
      out(i, j) = values[at].imag() < 0 ? std::conj(value) : value;
      if (values[at].imag() == 0) out(i, j) = value.real();
    }
  }
  return out;
}

std::string_view Geev(LapackArguments& call) {
  Matrix& t = call.in[0];
  Matrix z;
  const int64_t info = DecomposeSchur(t, z);
  std::vector<Complex> values;
  for (int64_t i = 0; i < t.rows; ++i) values.push_back(t(i, i));
  Matrix left = LeftEigenvectors(t, z);
  Matrix right = RightEigenvectors(t, z);
  if (call.is_complex) {
    call.out = {ColumnOf(values), std::move(left), std::move(right), Scalar(info)};
    return {};
  }
  std::vector<int64_t> order;
  values = InPairs(values, order);
  std::vector<double> real;
  std::vector<double> imaginary;
  for (const Complex value : values) {
    real.push_back(value.real());
    imaginary.push_back(value.imag());
  }
  call.out = {ColumnOf(real), ColumnOf(imaginary), PairedColumns(left, values, order),
              PairedColumns(right, values, order), Scalar(info)};
  return {};
}

// For complex matrices only: the real Schur form has 2x2 blocks on its diagonal.
std::string_view Gees(LapackArguments& call) {
  Matrix& t = call.in[0];
  Matrix z;
  const int64_t info = DecomposeSchur(t, z);
  std::vector<Complex> values;
  for (int64_t i = 0; i < t.rows; ++i) values.push_back(t(i, i));
  call.out = {std::move(t), std::move(z), ColumnOf(values), Scalar(0), Scalar(info)};
  return {};
}

}  // namespace

void RegisterLapackEigen(CustomCallRegistry& registry) {
  const LapackRoutine syevd = {{2}, true, Syevd};
  const LapackRoutine gesdd = {{2}, false, Gesdd, 5};
  for (const std::string kind : {"s", "d", "c", "z"}) {
    const bool is_real = kind == "s" || kind == "d";
    RegisterRoutine(registry, "lapack_" + kind + (is_real ? "syevd_ffi" : "heevd_ffi"), syevd);
    RegisterRoutine(registry, "lapack_" + kind + "gesdd_ffi", gesdd);
    RegisterRoutine(registry, "lapack_" + kind + "gesvd_ffi", gesdd);
    RegisterRoutine(registry, "lapack_" + kind + "geev_ffi", {{2}, true, Geev});
    if (!is_real) RegisterRoutine(registry, "lapack_" + kind + "gees_ffi", {{2}, true, Gees});
  }
  RegisterRoutine(registry, "Eigh", {{2}, true, Eigh});
  RegisterRoutine(registry, "EighTpu", {{2, 2, 2, 2}, true, EighOfQuarters});
  for (const std::string gpu : {"cu", "hip"}) {
    RegisterRoutine(registry, gpu + "solver_syevd_ffi", syevd);
    RegisterRoutine(registry, gpu + "solver_gesvd_ffi", {{2}, false, CuGesvd, 5});
    RegisterRoutine(registry, gpu + "solver_gesdd_ffi", gesdd);
    RegisterRoutine(registry, gpu + "solver_gesvdj_ffi", {{2}, false, Gesvdj, 5});
    RegisterRoutine(registry, gpu + "solver_gesvdp_ffi", {{2}, false, Gesvdj, 5});
  }
}

}  // namespace halo
