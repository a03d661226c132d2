// Factorizations work on dense doubles: how one matrix of a batch gets there from its layout and
// back, and the two loops that they consist of.
#ifndef HALO_CODEGEN_LIBRARY_DOTS_DENSE_MATRIX_H_
#define HALO_CODEGEN_LIBRARY_DOTS_DENSE_MATRIX_H_

#include <cstddef>
#include <cstdint>

#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_shapes.h"

namespace halo {

// Moves one matrix of a batch between its memory layout and dense row-major doubles, with rows and
// columns swapped or reversed as requested. The last `rank` dimensions, two at most, are the
// matrix; a vector is a column.
class MatrixMove {
 public:
  struct How {
    bool transposed = false, reversed_rows = false, reversed_columns = false;
    size_t rank = 2;
  };
  MatrixMove() = default;
  MatrixMove(const Placed& array, const How& how);

  void Load(const void* array, int64_t number, double* to) const {
    in_.Run(static_cast<const uint8_t*>(array) + Offset(number), to);
  }
  void Store(const double* from, int64_t number, void* array) const {
    out_.Run(from, static_cast<uint8_t*>(array) + Offset(number));
  }

  [[nodiscard]] int64_t rows() const { return rows_; }
  [[nodiscard]] int64_t columns() const { return columns_; }
  [[nodiscard]] int64_t batches() const { return ElementsIn(batch_); }

 private:
  // In bytes.
  [[nodiscard]] int64_t Offset(int64_t number) const;

  Move in_, out_;
  Dims batch_, steps_;
  int64_t rows_ = 1, columns_ = 1, origin_ = 0, bytes_ = 0;
};

double DotOf(const double* a, const double* b, int64_t n);
void SubtractScaled(double factor, const double* from, double* to, int64_t n);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_DOTS_DENSE_MATRIX_H_
