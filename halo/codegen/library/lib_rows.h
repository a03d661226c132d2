// Arrays as rows along one dimension: where each row begins in each array, and how rows are divided
// among threads.
#ifndef HALO_CODEGEN_LIBRARY_LIB_ROWS_H_
#define HALO_CODEGEN_LIBRARY_LIB_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <functional>

#include "halo/codegen/library/lib_shapes.h"
#include "halo/runtime/thread_team.h"

namespace halo {

// Rows are numbered in the row-major order of the other dimensions.
class RowPositions {
 public:
  RowPositions(const Placed& array, size_t dim) : length_(array.dims[dim]) {
    stride_ = array.strides[dim];
    for (size_t i = 0; i < array.dims.size(); ++i) {
      if (i == dim || array.dims[i] == 1) continue;
      dims_.push_back(array.dims[i]);
      strides_.push_back(array.strides[i]);
    }
    rows_ = ElementsIn(dims_);
  }

  [[nodiscard]] int64_t rows() const { return rows_; }
  [[nodiscard]] int64_t length() const { return length_; }
  [[nodiscard]] int64_t stride() const { return stride_; }
  [[nodiscard]] int64_t Offset(int64_t row) const {
    int64_t at = 0;
    for (size_t i = dims_.size(); i-- > 0;) {
      at += row % dims_[i] * strides_[i];
      row /= dims_[i];
    }
    return at;
  }

 private:
  int64_t length_ = 0, stride_ = 1, rows_ = 1;
  Dims dims_, strides_;
};

// Numbered shares [begin, end) of the rows, at most one per thread.
inline int64_t ShareCount(int64_t rows, int64_t row_work) {
  constexpr int64_t kWorthAThread = 1 << 13;
  const int64_t worth = rows * std::max<int64_t>(row_work, 1) / kWorthAThread;
  return std::clamp<int64_t>(std::min(rows, worth), 1, TeamSize());
}
inline void ForShares(int64_t rows, int64_t shares,
                      const std::function<void(int64_t share, int64_t begin, int64_t end)>& body) {
  TeamFor(shares, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) body(i, rows * i / shares, rows * (i + 1) / shares);
  });
}

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_ROWS_H_
