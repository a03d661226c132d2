// Convolutions of every form and type as GEMMs (im2col): what the window sees at each position is
// one row of a matrix, written in chunks of rows, which is multiplied by the filter.
#ifndef HALO_CODEGEN_LIBRARY_CONVOLUTIONS_LIB_CONV_UNROLLED_H_
#define HALO_CODEGEN_LIBRARY_CONVOLUTIONS_LIB_CONV_UNROLLED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/codegen/library/dots/lib_dot_kernel.h"
#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/ir/attributes/window.h"
#include "halo/semantics/facts/conv_labels.h"

namespace halo {

struct ConvInstruction {
  Placed input, kernel, output;
  ConvLabels labels;
  Window window;
  int64_t feature_groups = 1, batch_groups = 1;
};

class UnrolledConvolution {
 public:
  // Returns nullopt if no GEMM kernel supports these types.
  static std::optional<UnrolledConvolution> Make(const ConvInstruction& conv);

  bool Run(const void* input, const void* kernel, void* output, void* scratch) const;
  [[nodiscard]] int64_t scratch_bytes() const { return scratch_.bytes(); }
  [[nodiscard]] std::string Text() const;

 private:
  void Unroll(const uint8_t* input, int64_t group, int64_t first, int64_t rows, uint8_t* to) const;
  void UnrollRow(const uint8_t* input, int64_t group, int64_t row, uint8_t* to) const;

  Window window_;
  Dims spatial_, taps_, placements_;
  int64_t feature_groups_ = 1, batch_groups_ = 1;
  int64_t channels_ = 0, input_features_ = 0, features_ = 0, batch_ = 0, width_ = 0;
  int64_t depth_ = 0, chunk_ = 0;
  int64_t in_bytes_ = 0, kernel_bytes_ = 0, out_bytes_ = 0;
  Move move_input_;                                  // to [batch, space, feature]
  Move move_kernel_;                                 // to [group][taps, channels, width]
  Move move_output_;                                 // from [batch, space, feature]
  std::optional<DotKernel> product_, last_product_;  // of a full chunk, and of the remainder
  int64_t kernel_origin_ = 0;
  int64_t input_at_ = 0, kernel_at_ = 0, rows_at_ = 0, sums_at_ = 0, output_at_ = 0,
          product_at_ = 0;
  ScratchLayout scratch_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_CONVOLUTIONS_LIB_CONV_UNROLLED_H_
