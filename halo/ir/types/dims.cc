// Row-major arithmetic on dimensions.
#include "halo/ir/types/dims.h"

#include "halo/base/capped.h"

namespace halo {

int64_t ElementsIn(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim == 0) return 0;
    count = MultiplyCapped(count, dim);
  }
  return count;
}

Dims RowMajorStrides(std::span<const int64_t> dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride = MultiplyCapped(stride, dims[i]);
  }
  return strides;
}

bool NextIndex(std::span<const int64_t> dims, std::span<int64_t> index) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (++index[i] < dims[i]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace halo
