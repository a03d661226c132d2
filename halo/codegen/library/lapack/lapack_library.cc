// Loads OpenBLAS, which contains LAPACK and is fast on matrices of every size. One thread of ours
// computes one matrix, so OpenBLAS starts none.
#include "halo/codegen/library/lapack/lapack_library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string>
#include <type_traits>

#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

// Gives a variable of the environment another value while this exists.
class VariableMeanwhile {
 public:
  VariableMeanwhile(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name_, value, 1);
  }
  VariableMeanwhile(const VariableMeanwhile&) = delete;
  VariableMeanwhile& operator=(const VariableMeanwhile&) = delete;
  ~VariableMeanwhile() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

void* OpenLapack() {
  static void* const library = [] {
    // OpenBLAS selects its kernels when it is loaded. Those for AVX2 are taken on every CPU that
    // has it: the ones of version 0.3.21 for AVX-512 take up to twice as long for triangular
    // systems and longer for all factorizations, and a CPU that it does not know gets slow ones.
    std::optional<VariableMeanwhile> kernels;
    if (BestCpuLevel() != CpuLevel::kBaseline && std::getenv("OPENBLAS_CORETYPE") == nullptr) {
      kernels.emplace("OPENBLAS_CORETYPE", "Haswell");
    }
    // It also starts its threads then, which a sandbox that the process enters later would not
    // hold.
    const VariableMeanwhile threads("OPENBLAS_NUM_THREADS", "1");
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
  // `complex` is the name of the complex routine where it differs.
  template <class F>
  void Find(F& routine, const char* real, const char* complex = nullptr) {
    constexpr bool kSingle = std::is_same_v<typename LapackRoutines<T>::Real, float>;
    constexpr bool kComplex = LapackRoutines<T>::kComplex;
    std::string name(1, kComplex ? (kSingle ? 'c' : 'z') : (kSingle ? 's' : 'd'));
    name += kComplex && complex != nullptr ? complex : real;
    name += '_';
    routine = reinterpret_cast<F>(dlsym(OpenLapack(), name.c_str()));
    complete_ = complete_ && routine != nullptr;
  }
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  bool complete_ = OpenLapack() != nullptr;
};

}  // namespace

void LoadLapack() { OpenLapack(); }

bool LapackHasLocks() {
  static const bool has_locks = [] {
    using GetParallel = int (*)();
    void* const get =
        OpenLapack() == nullptr ? nullptr : dlsym(OpenLapack(), "openblas_get_parallel");
    return get != nullptr && reinterpret_cast<GetParallel>(get)() != 0;
  }();
  return has_locks;
}

std::unique_lock<std::mutex> LapackTurn() {
  static std::mutex mutex;
  return LapackHasLocks() ? std::unique_lock<std::mutex>() : std::unique_lock(mutex);
}

template <class T>
const LapackRoutines<T>* FindLapack() {
  static LapackRoutines<T> found = {};
  static const bool complete = [] {
    Finder<T> finder;
    if (!finder.complete()) return false;
    finder.Find(found.getrf, "getrf");
    finder.Find(found.potrf, "potrf");
    finder.Find(found.geqrf, "geqrf");
    finder.Find(found.orgqr, "orgqr", "ungqr");
    finder.Find(found.ormqr, "ormqr", "unmqr");
    finder.Find(found.gehrd, "gehrd");
    finder.Find(found.sytrd, "sytrd", "hetrd");
    finder.Find(found.gtsv, "gtsv");
    finder.Find(found.trsm, "trsm");
    finder.Find(found.geqp3, "geqp3");
    finder.Find(found.syevd, "syevd", "heevd");
    finder.Find(found.gesdd, "gesdd");
    finder.Find(found.geev, "geev");
    finder.Find(found.gees, "gees");
    return finder.complete();
  }();
  return complete ? &found : nullptr;
}
template const LapackRoutines<float>* FindLapack();
template const LapackRoutines<double>* FindLapack();
template const LapackRoutines<std::complex<float>>* FindLapack();
template const LapackRoutines<std::complex<double>>* FindLapack();

bool HasLapack() {
  return FindLapack<float>() != nullptr && FindLapack<double>() != nullptr &&
         FindLapack<std::complex<float>>() != nullptr &&
         FindLapack<std::complex<double>>() != nullptr;
}

}  // namespace halo
