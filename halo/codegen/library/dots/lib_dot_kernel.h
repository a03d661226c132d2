// A dot with any dimension numbers, layouts and types as a GEMM kernel. Operands are packed before
// it and the result is unpacked after it where the kernel cannot use them in place.
#ifndef HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_KERNEL_H_
#define HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_KERNEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "halo/codegen/library/dots/lib_dot_form.h"
#include "halo/codegen/library/dots/lib_dot_types.h"
#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/eval/linalg/dot.h"

namespace halo {

struct DotScale {
  double alpha = 1, beta = 0;  // beta times the previous contents of the result
};

class DotKernel {
 public:
  // Returns nullopt if no kernel supports these types. The result's dimensions: batch, free of lhs,
  // free of rhs.
  static std::optional<DotKernel> Make(const Placed& lhs, const Placed& rhs, const Placed& result,
                                       const DotDims& dims, DotScale scale = {});

  // Returns false if a library fails at run time.
  bool Run(const void* lhs, const void* rhs, void* result, void* scratch) const;
  [[nodiscard]] int64_t scratch_bytes() const { return scratch_.bytes(); }
  // Multiplications and additions.
  [[nodiscard]] double flops() const { return flops_; }
  [[nodiscard]] std::string Text() const;

 private:
  struct Packed {
    Move move;
    int64_t at = 0;  // offset in scratch
  };
  struct Sides {
    Placed lhs, rhs, result;
  };

  bool Prepare(const Sides& sides, const DotForm& form, const DotTypes& types, bool dense,
               DotScale scale);
  void PackRhsParts(const DotForm& form, const DotTypes& types, Product& product);

  std::shared_ptr<const ProductKernel> kernel_;  // null: the result is all zeros
  int64_t kernel_scratch_ = 0;
  std::optional<Packed> lhs_, rhs_, before_, after_;
  std::optional<int64_t> rhs_parts_;  // offset of a complex rhs expanded to four real parts
  int64_t rhs_columns_ = 0, rhs_elements_ = 0;
  bool single_parts_ = true;
  int64_t zero_bytes_ = 0;
  double flops_ = 0;
  ScratchLayout scratch_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_DOTS_LIB_DOT_KERNEL_H_
