// The size of a matrix product, whether it is a dot, a convolution or a call of a library: how many
// products of which dimensions, in which element type. How long it takes is left to models.
#ifndef HALO_COST_COUNT_PRODUCTS_H_
#define HALO_COST_COUNT_PRODUCTS_H_

#include <optional>

#include "halo/ir/module.h"

namespace halo {

struct ProductSize {
  double batch = 1, m = 1, n = 1, k = 1;
  double flops = 0;  // for a convolution less than 2*batch*m*n*k: padding is not multiplied
  ElementType type = ElementType::kF32;    // of the operands; the wider one if they differ
  ElementType result = ElementType::kF32;  // of the result
  bool full_precision = false;             // operand_precision asks for more than the default
  bool is_convolution = false;
};

// The product that an instruction itself computes; nothing for ops that compute none and for
// instructions that are malformed. Does not look into fusions.
std::optional<ProductSize> ProductOf(const Module& module, const Inst& inst);

}  // namespace halo

#endif  // HALO_COST_COUNT_PRODUCTS_H_
