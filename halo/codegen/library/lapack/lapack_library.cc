// Loads OpenBLAS, which contains LAPACK and is fast on matrices of every size. One thread of ours
// computes one matrix, so OpenBLAS starts none.
#include "halo/codegen/library/lapack/lapack_library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

// OpenBLAS selects its kernels when it is loaded. Those for AVX2 are taken on every CPU that has
// it: the ones of version 0.3.21 for AVX-512 take up to twice as long for triangular systems and
// longer for all factorizations, and a CPU that it does not know gets slow ones.
class KernelChoice {
 public:
  KernelChoice() : is_set_(BestCpuLevel() != CpuLevel::kBaseline && std::getenv(kName) == nullptr) {
    if (is_set_) setenv(kName, "Haswell", 0);
  }
  KernelChoice(const KernelChoice&) = delete;
  KernelChoice& operator=(const KernelChoice&) = delete;
  ~KernelChoice() {
    if (is_set_) unsetenv(kName);
  }

 private:
  static constexpr const char* kName = "OPENBLAS_CORETYPE";
  bool is_set_;
};

void* OpenLapack() {
  static void* const library = [] {
    const KernelChoice choice;
    void* const found = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (found == nullptr) return found;
    using SetThreads = void (*)(int);
    if (void* const set = dlsym(found, "openblas_set_num_threads")) {
      reinterpret_cast<SetThreads>(set)(1);
    }
    return found;
  }();
  return library;
}

template <class T>
class Finder {
 public:
  template <class F>
  void Find(F& routine, const char* real, const char* complex) {
    const std::string name = std::string(LapackRoutines<T>::kComplex ? complex : real) + "_";
    routine = reinterpret_cast<F>(dlsym(OpenLapack(), name.c_str()));
    complete_ = complete_ && routine != nullptr;
  }
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  bool complete_ = OpenLapack() != nullptr;
};

}  // namespace

void LoadLapack() { OpenLapack(); }

std::unique_lock<std::mutex> LapackTurn() {
  static const bool has_locks = [] {
    using GetParallel = int (*)();
    void* const get =
        OpenLapack() == nullptr ? nullptr : dlsym(OpenLapack(), "openblas_get_parallel");
    return get != nullptr && reinterpret_cast<GetParallel>(get)() != 0;
  }();
  static std::mutex mutex;
  return has_locks ? std::unique_lock<std::mutex>() : std::unique_lock(mutex);
}

template <class T>
const LapackRoutines<T>* FindLapack() {
  static LapackRoutines<T> found = {};
  static const bool complete = [] {
    Finder<T> finder;
    if (!finder.complete()) return false;
    finder.Find(found.getrf, "dgetrf", "zgetrf");
    finder.Find(found.potrf, "dpotrf", "zpotrf");
    finder.Find(found.geqrf, "dgeqrf", "zgeqrf");
    finder.Find(found.orgqr, "dorgqr", "zungqr");
    finder.Find(found.ormqr, "dormqr", "zunmqr");
    finder.Find(found.gehrd, "dgehrd", "zgehrd");
    finder.Find(found.sytrd, "dsytrd", "zhetrd");
    finder.Find(found.gtsv, "dgtsv", "zgtsv");
    finder.Find(found.trsm, "dtrsm", "ztrsm");
    finder.Find(found.geqp3, "dgeqp3", "zgeqp3");
    finder.Find(found.syevd, "dsyevd", "zheevd");
    finder.Find(found.gesdd, "dgesdd", "zgesdd");
    finder.Find(found.geev, "dgeev", "zgeev");
    finder.Find(found.gees, "dgees", "zgees");
    return finder.complete();
  }();
  return complete ? &found : nullptr;
}
template const LapackRoutines<double>* FindLapack();
template const LapackRoutines<std::complex<double>>* FindLapack();

}  // namespace halo
