// The LAPACK that is installed on this machine: the routines used here, for all four types.
#ifndef HALO_CODEGEN_LIBRARY_LAPACK_LAPACK_LIBRARY_H_
#define HALO_CODEGEN_LIBRARY_LAPACK_LAPACK_LIBRARY_H_

#include <complex>
#include <cstddef>
#include <mutex>
#include <type_traits>

namespace halo {

// Fortran's convention: everything by address, and the length of each string after all arguments.
// T is float, double, or a complex number of them; the arguments that only real or only complex
// routines have are chosen by it.
template <class T>
struct LapackRoutines {
  static constexpr bool kComplex = !std::is_floating_point_v<T>;
  using Real = decltype(std::real(T()));
  using Int = const int*;
  using Char = const char*;
  template <class IfReal, class IfComplex>
  using Choose = std::conditional_t<kComplex, IfComplex, IfReal>;

  void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info);
  void (*potrf)(Char uplo, Int n, T* a, Int lda, int* info, size_t);
  void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info);
  void (*orgqr)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork, int* info);
  void (*ormqr)(Char side, Char trans, Int m, Int n, Int k, T* a, Int lda, const T* tau, T* c,
                Int ldc, T* work, Int lwork, int* info, size_t, size_t);
  void (*gehrd)(Int n, Int low, Int high, T* a, Int lda, T* tau, T* work, Int lwork, int* info);
  void (*sytrd)(Char uplo, Int n, T* a, Int lda, Real* d, Real* e, T* tau, T* work, Int lwork,
                int* info, size_t);
  void (*gtsv)(Int n, Int columns, T* dl, T* d, T* du, T* b, Int ldb, int* info);
  void (*trsm)(Char side, Char uplo, Char trans, Char diag, Int m, Int n, const T* alpha,
               const T* a, Int lda, T* b, Int ldb, size_t, size_t, size_t, size_t);
  Choose<void (*)(Int m, Int n, T* a, Int lda, int* order, T* tau, T* work, Int lwork, int* info),
         void (*)(Int m, Int n, T* a, Int lda, int* order, T* tau, T* work, Int lwork, Real* rwork,
                  int* info)>
      geqp3;
  Choose<void (*)(Char jobz, Char uplo, Int n, T* a, Int lda, Real* w, T* work, Int lwork,
                  int* iwork, Int liwork, int* info, size_t, size_t),
         void (*)(Char jobz, Char uplo, Int n, T* a, Int lda, Real* w, T* work, Int lwork,
                  Real* rwork, Int lrwork, int* iwork, Int liwork, int* info, size_t, size_t)>
      syevd;
  Choose<void (*)(Char jobz, Int m, Int n, T* a, Int lda, Real* s, T* u, Int ldu, T* vt, Int ldvt,
                  T* work, Int lwork, int* iwork, int* info, size_t),
         void (*)(Char jobz, Int m, Int n, T* a, Int lda, Real* s, T* u, Int ldu, T* vt, Int ldvt,
                  T* work, Int lwork, Real* rwork, int* iwork, int* info, size_t)>
      gesdd;
  Choose<void (*)(Char left, Char right, Int n, T* a, Int lda, Real* wr, Real* wi, T* vl, Int ldvl,
                  T* vr, Int ldvr, T* work, Int lwork, int* info, size_t, size_t),
         void (*)(Char left, Char right, Int n, T* a, Int lda, T* w, T* vl, Int ldvl, T* vr,
                  Int ldvr, T* work, Int lwork, Real* rwork, int* info, size_t, size_t)>
      geev;
  // `select` is null: values are not sorted.
  Choose<void (*)(Char vectors, Char sort, void* select, Int n, T* a, Int lda, int* sorted,
                  Real* wr, Real* wi, T* vs, Int ldvs, T* work, Int lwork, int* bwork, int* info,
                  size_t, size_t),
         void (*)(Char vectors, Char sort, void* select, Int n, T* a, Int lda, int* sorted, T* w,
                  T* vs, Int ldvs, T* work, Int lwork, Real* rwork, int* bwork, int* info, size_t,
                  size_t)>
      gees;
};

// Loads the library, if there is one. Must be called before the process enters a sandbox that does
// not let it open files.
void LoadLapack();

// OpenBLAS without threads is built without locks, and then calls from several threads overwrite
// each other's memory.
bool LapackHasLocks();

// To be held while a routine runs. Without locks, only one thread at a time gets here.
std::unique_lock<std::mutex> LapackTurn();

// Whether a LAPACK with all routines of all types is installed. Safe to call from several threads,
// as is FindLapack(), which gives null if there is none.
bool HasLapack();
template <class T>
const LapackRoutines<T>* FindLapack();
extern template const LapackRoutines<float>* FindLapack();
extern template const LapackRoutines<double>* FindLapack();
extern template const LapackRoutines<std::complex<float>>* FindLapack();
extern template const LapackRoutines<std::complex<double>>* FindLapack();

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LAPACK_LAPACK_LIBRARY_H_
