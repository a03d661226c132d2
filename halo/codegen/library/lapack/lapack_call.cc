// A routine that works in place gives its operand's memory back as its result. Matrices with
// infinities or NaN have no eigenvalues or singular values: LAPACK might not return from them.
#include "halo/codegen/library/lapack/lapack_call.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "halo/codegen/library/lapack/lapack_library.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

template <class T>
using RealOf = typename LapackRoutines<T>::Real;
template <class T>
using ComplexOf = std::complex<RealOf<T>>;
constexpr int kNotFinite = -4;  // the info that JAX reports for such matrices

// The routines, for one call: Lapack<T>()->getrf(...) holds the turn until it returns.
template <class T>
class Lapack {
 public:
  const LapackRoutines<T>* operator->() const { return FindLapack<T>(); }

 private:
  std::unique_lock<std::mutex> turn_ = LapackTurn();
};

bool IsSquare(const DenseArray& a) { return a.rows == a.columns; }
int Least(const DenseArray& a) { return std::min(a.rows, a.columns); }
bool IsVector(const DenseArray& a, int size) { return a.rows == size && a.columns == 1; }
bool IsMatrix(const DenseArray& a, int rows, int columns) {
  return a.rows == rows && a.columns == columns;
}

LapackMemory NoMemory(const LapackProblem&) { return {}; }

template <class T>
bool IsFinite(const DenseArray& a) {
  return std::all_of(a.as<T>(), a.as<T>() + a.count(), [](T value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
  });
}

template <class T>
void Fill(const DenseArray& a, T value) {
  std::fill_n(a.as<T>(), a.count(), value);
}

template <class T>
void FillWithNan(const DenseArray& a) {
  Fill<T>(a, std::numeric_limits<RealOf<T>>::quiet_NaN());
}

bool GetrfFits(const LapackProblem& p) {
  return IsMatrix(p.out[0], p.in[0].rows, p.in[0].columns) && IsVector(p.out[1], Least(p.in[0]));
}
template <class T>
void RunGetrf(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  Lapack<T>()->getrf(&a.rows, &a.columns, a.as<T>(), &a.rows, p.out[1].as<int>(),
                     p.out[2].as<int>());
}

bool PotrfFits(const LapackProblem& p) {
  return IsSquare(p.in[0]) && IsMatrix(p.out[0], p.in[0].rows, p.in[0].rows);
}
template <class T>
void RunPotrf(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  Lapack<T>()->potrf(&p.how.uplo, &a.rows, a.as<T>(), &a.rows, p.out[1].as<int>(), 1);
}

bool GeqrfFits(const LapackProblem& p) {
  return IsMatrix(p.out[0], p.in[0].rows, p.in[0].columns) && IsVector(p.out[1], Least(p.in[0]));
}
template <class T>
void RunGeqrf(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  int info = 0;
  Lapack<T>()->geqrf(&a.rows, &a.columns, a.as<T>(), &a.rows, p.out[1].as<T>(),
                     static_cast<T*>(p.work), &p.work_size, &info);
}

bool Geqp3Fits(const LapackProblem& p) {
  return IsMatrix(p.out[0], p.in[0].rows, p.in[0].columns) && IsVector(p.in[1], p.in[0].columns) &&
         IsVector(p.out[1], p.in[0].columns) && IsVector(p.out[2], Least(p.in[0]));
}
LapackMemory Geqp3Memory(const LapackProblem& p) { return {.reals = 2 * p.in[0].columns}; }
template <class T>
void RunGeqp3(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  const DenseArray& order = p.out[1] = p.in[1];
  auto* work = static_cast<T*>(p.work);
  int info = 0;
  if constexpr (LapackRoutines<T>::kComplex) {
    Lapack<T>()->geqp3(&a.rows, &a.columns, a.as<T>(), &a.rows, order.as<int>(), p.out[2].as<T>(),
                       work, &p.work_size, static_cast<RealOf<T>*>(p.reals), &info);
  } else {
    Lapack<T>()->geqp3(&a.rows, &a.columns, a.as<T>(), &a.rows, order.as<int>(), p.out[2].as<T>(),
                       work, &p.work_size, &info);
  }
}

bool OrgqrFits(const LapackProblem& p) {
  return p.in[0].rows >= p.in[0].columns && p.in[1].rows <= p.in[0].columns &&
         IsMatrix(p.out[0], p.in[0].rows, p.in[0].columns);
}
template <class T>
void RunOrgqr(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  int info = 0;
  Lapack<T>()->orgqr(&a.rows, &a.columns, &p.in[1].rows, a.as<T>(), &a.rows, p.in[1].as<T>(),
                     static_cast<T*>(p.work), &p.work_size, &info);
}

bool OrmqrFits(const LapackProblem& p) {
  const int side = p.how.side == 'L' ? p.in[2].rows : p.in[2].columns;
  return p.in[0].rows == side && p.in[1].rows <= Least(p.in[0]) &&
         IsMatrix(p.out[0], p.in[2].rows, p.in[2].columns);
}
template <class T>
void RunOrmqr(LapackProblem& p) {
  const DenseArray& a = p.in[0];
  DenseArray& c = p.out[0] = p.in[2];
  const char transpose = p.how.transpose == 'N' ? 'N' : LapackRoutines<T>::kComplex ? 'C' : 'T';
  int info = 0;
  Lapack<T>()->ormqr(&p.how.side, &transpose, &c.rows, &c.columns, &p.in[1].rows, a.as<T>(),
                     &a.rows, p.in[1].as<T>(), c.as<T>(), &c.rows, static_cast<T*>(p.work),
                     &p.work_size, &info, 1, 1);
}

bool GehrdFits(const LapackProblem& p) {
  const int n = p.in[0].rows;
  const int64_t high = p.how.high == 0 ? n : p.how.high;
  return IsSquare(p.in[0]) && IsMatrix(p.out[0], n, n) && IsVector(p.out[1], n - 1) &&
         p.how.low >= 1 && p.how.low <= high && high <= n;
}
template <class T>
void RunGehrd(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  const int low = static_cast<int>(p.how.low);
  const int high = p.how.high == 0 ? a.rows : static_cast<int>(p.how.high);
  Lapack<T>()->gehrd(&a.rows, &low, &high, a.as<T>(), &a.rows, p.out[1].as<T>(),
                     static_cast<T*>(p.work), &p.work_size, p.out[2].as<int>());
}

bool SytrdFits(const LapackProblem& p) {
  const int n = p.in[0].rows;
  return IsSquare(p.in[0]) && IsMatrix(p.out[0], n, n) && IsVector(p.out[1], n) &&
         IsVector(p.out[2], n - 1) && IsVector(p.out[3], n - 1);
}
template <class T>
void RunSytrd(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  Lapack<T>()->sytrd(&p.how.uplo, &a.rows, a.as<T>(), &a.rows, p.out[1].as<RealOf<T>>(),
                     p.out[2].as<RealOf<T>>(), p.out[3].as<T>(), static_cast<T*>(p.work),
                     &p.work_size, p.out[4].as<int>(), 1);
}

// The diagonals beside the middle one are as long as it; the first element of the lower one and the
// last of the upper one are not used.
bool GtsvFits(const LapackProblem& p) {
  const int n = p.in[1].rows;
  for (int i = 0; i < 3; ++i) {
    if (!IsVector(p.in[static_cast<size_t>(i)], n)) return false;
    if (!IsVector(p.out[static_cast<size_t>(i)], n)) return false;
  }
  return p.in[3].rows == n && IsMatrix(p.out[3], n, p.in[3].columns);
}
template <class T>
void RunGtsv(LapackProblem& p) {
  std::copy_n(p.in.begin(), 4, p.out.begin());
  const DenseArray& b = p.out[3];
  Lapack<T>()->gtsv(&b.rows, &b.columns, p.out[0].as<T>() + 1, p.out[1].as<T>(), p.out[2].as<T>(),
                    b.as<T>(), &b.rows, p.out[4].as<int>());
}

bool TrsmFits(const LapackProblem& p) {
  const int side = p.how.side == 'L' ? p.in[1].rows : p.in[1].columns;
  return IsMatrix(p.in[0], side, side) && IsMatrix(p.out[0], p.in[1].rows, p.in[1].columns);
}
// Right-hand sides are independent of each other. Blocks of them have a fixed size, so that results
// do not depend on the number of threads.
template <class T>
void RunTrsm(LapackProblem& p) {
  const DenseArray& a = p.in[0];
  DenseArray& b = p.out[0] = p.in[1];
  const T one = 1;
  constexpr int64_t kBlock = 32;
  const bool left = p.how.side == 'L';
  const int64_t sides = left ? b.columns : b.rows;
  TeamFor((sides + kBlock - 1) / kBlock, 1, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      const int64_t begin = block * kBlock;
      const int count = static_cast<int>(std::min(kBlock, sides - begin));
      T* at = b.as<T>() + (left ? begin * b.rows : begin);
      Lapack<T>()->trsm(&p.how.side, &p.how.uplo, &p.how.transpose, &p.how.diagonal,
                        left ? &b.rows : &count, left ? &count : &b.columns, &one, a.as<T>(),
                        &a.rows, at, &b.rows, 1, 1, 1, 1);
    }
  });
}

bool SyevdFits(const LapackProblem& p) {
  const int n = p.in[0].rows;
  return IsSquare(p.in[0]) && IsMatrix(p.out[0], n, n) && IsVector(p.out[1], n);
}
LapackMemory SyevdMemory(const LapackProblem& p) {
  const int64_t n = p.in[0].rows;
  return {.reals = 1 + 5 * n + 2 * n * n, .integers = 3 + 5 * n};
}
template <class T>
void RunSyevd(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  auto* work = static_cast<T*>(p.work);
  int& info = *p.out[2].as<int>();
  const int n = a.rows;
  const int integers = 3 + 5 * n;
  if (p.work_size >= 0 && !IsFinite<T>(a)) {
    FillWithNan<T>(a);
    FillWithNan<RealOf<T>>(p.out[1]);
    info = kNotFinite;
    return;
  }
  if constexpr (LapackRoutines<T>::kComplex) {
    const int reals = 1 + 5 * n + 2 * n * n;
    Lapack<T>()->syevd(&p.how.mode, &p.how.uplo, &n, a.as<T>(), &n, p.out[1].as<RealOf<T>>(), work,
                       &p.work_size, static_cast<RealOf<T>*>(p.reals), &reals, p.integers,
                       &integers, &info, 1, 1);
  } else {
    Lapack<T>()->syevd(&p.how.mode, &p.how.uplo, &n, a.as<T>(), &n, p.out[1].as<RealOf<T>>(), work,
                       &p.work_size, p.integers, &integers, &info, 1, 1);
  }
}

// All vectors of both sides, or as many as there are values.
bool GesddFits(const LapackProblem& p) {
  const auto [rows, columns] = std::pair(p.in[0].rows, p.in[0].columns);
  const int few = Least(p.in[0]);
  return IsMatrix(p.out[0], rows, columns) && IsVector(p.out[1], few) &&
         ((IsMatrix(p.out[2], rows, rows) && IsMatrix(p.out[3], columns, columns)) ||
          (IsMatrix(p.out[2], rows, few) && IsMatrix(p.out[3], few, columns)));
}
LapackMemory GesddMemory(const LapackProblem& p) {
  const int64_t few = Least(p.in[0]);
  const int64_t many = std::max(p.in[0].rows, p.in[0].columns);
  return {.reals = std::max(5 * few * few + 7 * few, 2 * many * few + 2 * few * few + few),
          .integers = 8 * few};
}
template <class T>
void RunGesdd(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  const DenseArray& u = p.out[2];
  const DenseArray& vt = p.out[3];
  auto* s = p.out[1].as<RealOf<T>>();
  auto* work = static_cast<T*>(p.work);
  int& info = *p.out[4].as<int>();
  if (p.work_size >= 0 && !IsFinite<T>(a)) {
    FillWithNan<RealOf<T>>(p.out[1]);
    FillWithNan<T>(u);
    FillWithNan<T>(vt);
    info = kNotFinite;
    return;
  }
  const bool all = u.columns == a.rows && vt.rows == a.columns;
  const char mode = p.how.mode == 'N' ? 'N' : all ? 'A' : 'S';
  if (p.work_size >= 0 && mode == 'N') {
    Fill<T>(u, 0);
    Fill<T>(vt, 0);
  }
  if constexpr (LapackRoutines<T>::kComplex) {
    Lapack<T>()->gesdd(&mode, &a.rows, &a.columns, a.as<T>(), &a.rows, s, u.as<T>(), &u.rows,
                       vt.as<T>(), &vt.rows, work, &p.work_size, static_cast<RealOf<T>*>(p.reals),
                       p.integers, &info, 1);
  } else {
    Lapack<T>()->gesdd(&mode, &a.rows, &a.columns, a.as<T>(), &a.rows, s, u.as<T>(), &u.rows,
                       vt.as<T>(), &vt.rows, work, &p.work_size, p.integers, &info, 1);
  }
}

// Both forms give complex vectors; the values of a real matrix are two vectors of reals.
bool GeevFits(const LapackProblem& p) {
  const int n = p.in[0].rows;
  const size_t vectors = p.out.size() - 3;
  return IsSquare(p.in[0]) && IsVector(p.out[0], n) && IsVector(p.out[vectors - 1], n) &&
         IsMatrix(p.out[vectors], n, n) && IsMatrix(p.out[vectors + 1], n, n);
}
LapackMemory GeevMemory(const LapackProblem& p) {
  const int64_t n = p.in[0].rows;
  return {.reals = std::max(2 * n, 2 * n * n)};
}
// The vectors of a conjugate pair are stored as the real and the imaginary part of the first one.
template <class Real>
void UnpackVectors(const Real* packed, const Real* imaginary, const DenseArray& to) {
  const int64_t n = to.rows;
  auto* v = to.as<std::complex<Real>>();
  for (int64_t j = 0; j < n; ++j) {
    const Real* real = packed + j * n;
    if (imaginary[j] == 0 || j + 1 == n) {
      std::copy_n(real, n, v + j * n);
      continue;
    }
    for (int64_t i = 0; i < n; ++i) {
      v[j * n + i] = {real[i], real[n + i]};
      v[(j + 1) * n + i] = {real[i], -real[n + i]};
    }
    ++j;
  }
}
template <class T>
void RunGeev(LapackProblem& p) {
  const DenseArray& a = p.in[0];
  const size_t vectors = p.out.size() - 3;
  const DenseArray& left = p.out[vectors];
  const DenseArray& right = p.out[vectors + 1];
  auto* work = static_cast<T*>(p.work);
  int& info = *p.out.back().as<int>();
  const int n = a.rows;
  if (p.work_size >= 0) {
    if (!IsFinite<T>(a)) {
      for (size_t i = 0; i < vectors; ++i) FillWithNan<T>(p.out[i]);
      FillWithNan<ComplexOf<T>>(left);
      FillWithNan<ComplexOf<T>>(right);
      info = kNotFinite;
      return;
    }
    if (p.how.left == 'N') Fill<ComplexOf<T>>(left, 0);
    if (p.how.right == 'N') Fill<ComplexOf<T>>(right, 0);
  }
  if constexpr (LapackRoutines<T>::kComplex) {
    Lapack<T>()->geev(&p.how.left, &p.how.right, &n, a.as<T>(), &n, p.out[0].as<T>(), left.as<T>(),
                      &n, right.as<T>(), &n, work, &p.work_size, static_cast<RealOf<T>*>(p.reals),
                      &info, 1, 1);
  } else {
    auto* packed_left = static_cast<T*>(p.reals);
    auto* packed_right = packed_left + int64_t{n} * n;
    auto* imaginary = p.out[1].as<RealOf<T>>();
    Lapack<T>()->geev(&p.how.left, &p.how.right, &n, a.as<T>(), &n, p.out[0].as<RealOf<T>>(),
                      imaginary, packed_left, &n, packed_right, &n, work, &p.work_size, &info, 1,
                      1);
    if (p.work_size < 0) return;
    if (p.how.left == 'V') UnpackVectors(packed_left, imaginary, left);
    if (p.how.right == 'V') UnpackVectors(packed_right, imaginary, right);
  }
}

bool GeesFits(const LapackProblem& p) {
  const int n = p.in[0].rows;
  return IsSquare(p.in[0]) && IsMatrix(p.out[0], n, n) && IsMatrix(p.out[1], n, n) &&
         IsVector(p.out[2], n) && IsVector(p.out[p.out.size() - 3], n);
}
LapackMemory GeesMemory(const LapackProblem& p) {
  return {.reals = p.in[0].rows, .integers = p.in[0].rows};
}
template <class T>
void RunGees(LapackProblem& p) {
  DenseArray& a = p.out[0] = p.in[0];
  const DenseArray& vectors = p.out[1];
  auto* work = static_cast<T*>(p.work);
  int& sorted = *p.out[p.out.size() - 2].as<int>();
  int& info = *p.out.back().as<int>();
  const char unsorted = 'N';
  const int n = a.rows;
  if (p.work_size >= 0) {
    if (!IsFinite<T>(a)) {
      for (size_t i = 0; i < p.out.size() - 2; ++i) FillWithNan<T>(p.out[i]);
      sorted = 0;
      info = kNotFinite;
      return;
    }
    if (p.how.mode == 'N') Fill<T>(vectors, 0);
  }
  if constexpr (LapackRoutines<T>::kComplex) {
    Lapack<T>()->gees(&p.how.mode, &unsorted, nullptr, &n, a.as<T>(), &n, &sorted, p.out[2].as<T>(),
                      vectors.as<T>(), &n, work, &p.work_size, static_cast<RealOf<T>*>(p.reals),
                      p.integers, &info, 1, 1);
  } else {
    Lapack<T>()->gees(&p.how.mode, &unsorted, nullptr, &n, a.as<T>(), &n, &sorted,
                      p.out[2].as<RealOf<T>>(), p.out[3].as<RealOf<T>>(), vectors.as<T>(), &n, work,
                      &p.work_size, p.integers, &info, 1, 1);
  }
}

#define HALO_ALL_TYPES(run) \
  {run<float>, run<double>, run<std::complex<float>>, run<std::complex<double>>}
// clang-format off
const LapackFunction kFunctions[] = {
    {"getrf", {2}, {2, 1, 0}, {}, GetrfFits, NoMemory, HALO_ALL_TYPES(RunGetrf), false},
    {"potrf", {2}, {2, 0}, {}, PotrfFits, NoMemory, HALO_ALL_TYPES(RunPotrf), false},
    {"trsm", {2, 2}, {2}, {}, TrsmFits, NoMemory, HALO_ALL_TYPES(RunTrsm), false},
    {"gtsv", {1, 1, 1, 2}, {1, 1, 1, 2, 0}, {}, GtsvFits, NoMemory, HALO_ALL_TYPES(RunGtsv), false},
    {"geqrf", {2}, {2, 1}, {}, GeqrfFits, NoMemory, HALO_ALL_TYPES(RunGeqrf), true},
    {"geqp3", {2, 1}, {2, 1, 1}, {}, Geqp3Fits, Geqp3Memory, HALO_ALL_TYPES(RunGeqp3), true},
    {"orgqr", {2, 1}, {2}, {}, OrgqrFits, NoMemory, HALO_ALL_TYPES(RunOrgqr), true},
    {"ormqr", {2, 1, 2}, {2}, {}, OrmqrFits, NoMemory, HALO_ALL_TYPES(RunOrmqr), true},
    {"gehrd", {2}, {2, 1, 0}, {}, GehrdFits, NoMemory, HALO_ALL_TYPES(RunGehrd), true},
    {"sytrd", {2}, {2, 1, 1, 1, 0}, {}, SytrdFits, NoMemory, HALO_ALL_TYPES(RunSytrd), true},
    {"syevd", {2}, {2, 1, 0}, {}, SyevdFits, SyevdMemory, HALO_ALL_TYPES(RunSyevd), true},
    {"gesdd", {2}, {2, 1, 2, 2, 0}, {}, GesddFits, GesddMemory, HALO_ALL_TYPES(RunGesdd), true},
    {"geev", {2}, {1, 1, 2, 2, 0}, {1, 2, 2, 0}, GeevFits, GeevMemory, HALO_ALL_TYPES(RunGeev), true},
    {"gees", {2}, {2, 2, 1, 1, 0, 0}, {2, 2, 1, 0, 0}, GeesFits, GeesMemory, HALO_ALL_TYPES(RunGees), true},
};
// clang-format on
#undef HALO_ALL_TYPES

}  // namespace

const LapackFunction* FindLapackFunction(std::string_view name) {
  for (const LapackFunction& each : kFunctions) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace halo
