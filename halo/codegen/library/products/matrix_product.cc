// oneDNN's sgemm, through its C interface.
#include "halo/codegen/library/products/matrix_product.h"

#include <oneapi/dnnl/dnnl.h>

namespace halo {

bool MultiplyMatrices(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* c) {
  return dnnl_sgemm('N', 'N', m, n, k, 1.0F, a, k, b, n, 0.0F, c, n) == dnnl_success;
}

}  // namespace halo
