// LAPACK's routines as functions on one problem: what each operand and result is, which sizes are
// legal, and how much memory the routine needs. Knows nothing about layouts and batches.
#ifndef HALO_CODEGEN_LIBRARY_LAPACK_LAPACK_CALL_H_
#define HALO_CODEGEN_LIBRARY_LAPACK_LAPACK_CALL_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace halo {

// A column-major matrix, or a vector as a column: of the routine's elements, of real numbers of the
// same precision, or of 32-bit integers.
struct DenseArray {
  void* data = nullptr;
  int rows = 1, columns = 1;

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  [[nodiscard]] int64_t count() const { return int64_t{rows} * columns; }
};

// LAPACK's letters and numbers, as calls and instructions specify them.
struct LapackChoices {
  char side = 'L', uplo = 'L', diagonal = 'N', transpose = 'N';
  char mode = 'V';  // 'N': no vectors
  char left = 'V', right = 'V';
  int64_t low = 1, high = 0;  // of gehrd; 0: the last row
};

struct LapackProblem {
  LapackChoices how;
  std::vector<DenseArray> in, out;
  void* work = nullptr;  // of the matrix's element type
  int work_size = 0;     // in elements; -1: the routine only stores the best size in `work`
  void* reals = nullptr;
  int* integers = nullptr;
};

// Sizes in elements; those of `work` are beyond what the routine itself reports.
struct LapackMemory {
  int64_t work = 0, reals = 0, integers = 0;
};

enum class LapackType { kFloat, kDouble, kComplexFloat, kComplexDouble };

struct LapackFunction {
  std::string_view name;                       // of real matrices, without the letter of its type
  std::vector<int> in_ranks;                   // 2: a matrix, 1: a vector, 0: a number
  std::vector<int> out_ranks;                  // of real matrices
  std::vector<int> complex_ranks;              // of complex matrices, where they differ
  bool (*fits)(const LapackProblem& problem);  // whether sizes match; data is null
  LapackMemory (*memory)(const LapackProblem& problem);
  std::array<void (*)(LapackProblem& problem), 4> run;  // for each LapackType
  bool has_work = false;                                // reports the size of `work`

  [[nodiscard]] const std::vector<int>& out_ranks_of(bool is_complex) const {
    return is_complex && !complex_ranks.empty() ? complex_ranks : out_ranks;
  }
};

// Null if the name is not known. The functions require that LAPACK is installed.
const LapackFunction* FindLapackFunction(std::string_view name);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LAPACK_LAPACK_CALL_H_
