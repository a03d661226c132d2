// Turns routines on one matrix into custom calls on batches of matrices.
#ifndef HALO_EVAL_CALLS_LAPACK_LAPACK_CALLS_H_
#define HALO_EVAL_CALLS_LAPACK_LAPACK_CALLS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/eval/calls/call_support.h"
#include "halo/eval/context/custom_calls.h"
#include "halo/eval/linalg/matrix.h"

namespace halo {

struct LapackArguments {
  const JsonValue& config;
  std::vector<Matrix> in;                             // the operands; a vector is a column
  std::vector<Matrix> out;                            // filled by the routine, in result order
  std::vector<std::pair<int64_t, int64_t>> declared;  // rows and columns of each result
  bool is_complex = false;
};

struct LapackRoutine {
  std::vector<size_t> operand_ranks;  // excluding batches: 2 for a matrix, 1 for a vector
  bool square = false;                // the first operand must be square
  // Returns what is wrong with the arguments; empty if nothing is.
  std::string_view (*run)(LapackArguments& call) = nullptr;
  // Must be declared, because the routine reads their sizes. LapackArguments has as many operands
  // as there are ranks, and at least so many results.
  size_t results = 0;
};

void RegisterRoutine(CustomCallRegistry& registry, std::string target,
                     const LapackRoutine& routine);

inline Matrix Scalar(int64_t value) {
  Matrix out(1, 1);
  out(0, 0) = static_cast<double>(value);
  return out;
}

template <class T>
Matrix ColumnOf(const std::vector<T>& values) {
  Matrix out(static_cast<int64_t>(values.size()), 1);
  for (size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<T, int64_t>) {
      out.elements[i] = static_cast<double>(values[i]);
    } else {
      out.elements[i] = values[i];
    }
  }
  return out;
}

void RegisterLapackSolvers(CustomCallRegistry& registry);
void RegisterLapackFactors(CustomCallRegistry& registry);
void RegisterLapackEigen(CustomCallRegistry& registry);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_LAPACK_LAPACK_CALLS_H_
