// Factorizations work on dense matrices of doubles or floats: how one matrix of a batch gets there
// from its layout and back, and the two loops that those without blocks consist of.
#ifndef HALO_CODEGEN_LIBRARY_LINALG_DENSE_MATRIX_H_
#define HALO_CODEGEN_LIBRARY_LINALG_DENSE_MATRIX_H_

#include <cstddef>
#include <cstdint>

#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/codegen/library/linalg/dense_kernels.h"

namespace halo {

// Moves one matrix of a batch between its memory layout and dense row-major elements of another
// type, with rows and columns swapped or reversed as requested. The last `rank` dimensions, two at
// most, are the matrix; a vector is a column.
class MatrixMove {
 public:
  struct How {
    bool transposed = false, reversed_rows = false, reversed_columns = false;
    size_t rank = 2;
    ElementType dense = ElementType::kF64;
  };
  MatrixMove() = default;
  MatrixMove(const Placed& array, const How& how);

  template <class T>
  void Load(const void* array, int64_t number, T* to) const {
    in_.Run(static_cast<const uint8_t*>(array) + Offset(number), to);
  }
  template <class T>
  void Store(const T* from, int64_t number, void* array) const {
    out_.Run(from, static_cast<uint8_t*>(array) + Offset(number));
  }

  // True if the matrix is stored in the type that it would be moved to. Then it can be used where
  // it is; if it is also dense, as memory to work in.
  [[nodiscard]] bool IsSameType() const { return same_type_; }
  [[nodiscard]] bool IsDense() const {
    return same_type_ && (columns_ == 1 || column_step_ == 1) &&
           (rows_ == 1 || row_step_ == columns_);
  }
  template <class T>
  [[nodiscard]] Strided<T> View(void* array, int64_t number) const {
    return {reinterpret_cast<T*>(static_cast<uint8_t*>(array) + Offset(number)), row_step_,
            column_step_};
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
  int64_t row_step_ = 0, column_step_ = 0;
  bool same_type_ = false;
};

double DotOf(const double* a, const double* b, int64_t n);
void SubtractScaled(double factor, const double* from, double* to, int64_t n);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LINALG_DENSE_MATRIX_H_
