// A reversed axis begins at its last element and has a negative stride.
#include "halo/codegen/library/linalg/dense_matrix.h"

#include <utility>

#include "halo/runtime/cpu_level.h"

namespace halo {

MatrixMove::MatrixMove(const Placed& array, const How& how) {
  const size_t batch_rank = array.dims.size() - how.rank;
  if (how.rank > 0) {
    rows_ = array.dims[batch_rank];
    row_step_ = array.strides[batch_rank];
  }
  if (how.rank > 1) {
    columns_ = array.dims[batch_rank + 1];
    column_step_ = array.strides[batch_rank + 1];
  }
  if (how.transposed) {
    std::swap(rows_, columns_);
    std::swap(row_step_, column_step_);
  }
  if (how.reversed_rows) {
    origin_ += row_step_ * (rows_ - 1);
    row_step_ = -row_step_;
  }
  if (how.reversed_columns) {
    origin_ += column_step_ * (columns_ - 1);
    column_step_ = -column_step_;
  }
  in_ = Move(array.type, how.dense, {{rows_, row_step_, columns_}, {columns_, column_step_, 1}});
  out_ = Move(how.dense, array.type, {{rows_, columns_, row_step_}, {columns_, 1, column_step_}});
  same_type_ = array.type == how.dense;
  bytes_ = static_cast<int64_t>(StoredBytes(array.type));
  for (size_t i = 0; i < batch_rank; ++i) {
    batch_.push_back(array.dims[i]);
    steps_.push_back(array.strides[i]);
  }
}

int64_t MatrixMove::Offset(int64_t number) const {
  int64_t at = origin_;
  for (size_t i = batch_.size(); i-- > 0;) {
    at += number % batch_[i] * steps_[i];
    number /= batch_[i];
  }
  return at * bytes_;
}

double DotOf(const double* a, const double* b, int64_t n) {
  return ForCpu([=](auto) HALO_INLINED {
    double sums[8] = {};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      for (int64_t l = 0; l < 8; ++l) sums[l] += a[i + l] * b[i + l];
    }
    double sum = 0;
    for (; i < n; ++i) sum += a[i] * b[i];
    for (const double part : sums) sum += part;
    return sum;
  });
}

void SubtractScaled(double factor, const double* from, double* to, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) to[i] -= factor * from[i];
  });
}

}  // namespace halo
