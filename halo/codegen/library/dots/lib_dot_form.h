// The dimensions of a dot in four groups (batch, rows, columns, contracted), with adjacent
// dimensions collapsed where all arrays that have them allow it, and the strides of each array as a
// batch of matrices.
#ifndef HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_FORM_H_
#define HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_FORM_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/eval/linalg/dot.h"

namespace halo {

enum DotSide : uint8_t { kLhs, kRhs, kResult };

struct DotAxis {
  int64_t size = 1;
  std::array<int64_t, 3> strides = {};  // by side; zero where the side does not have the axis
};

struct DotForm {
  std::vector<DotAxis> batch, m, n, k;

  // The caller must ensure that the sizes match.
  DotForm(const Placed& lhs, const Placed& rhs, const Placed& result, const DotDims& dims);

  [[nodiscard]] const std::vector<DotAxis>& rows(DotSide side) const {
    return side == kRhs ? k : m;
  }
  [[nodiscard]] const std::vector<DotAxis>& columns(DotSide side) const {
    return side == kLhs ? k : n;
  }
  // The side in place; nullopt if its rows or columns are not uniformly strided.
  [[nodiscard]] std::optional<MatrixStrides> InStoredOrder(DotSide side) const;
  // The side packed densely, batches outermost. Within a matrix, contiguous elements stay
  // contiguous, unless `by_rows` requests row-major order.
  [[nodiscard]] MatrixStrides Dense(DotSide side, bool by_rows) const;
  // All elements of the side, with their strides in place and in a dense layout.
  [[nodiscard]] std::vector<MoveAxis> ToDense(DotSide side, const MatrixStrides& dense) const;
};

int64_t SizeOf(std::span<const DotAxis> axes);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_FORM_H_
