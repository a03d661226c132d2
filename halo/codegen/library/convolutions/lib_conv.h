// Convolutions in the three forms that libraries know: forward, backward data, backward weights.
// All are one relation between input, filter and output elements,
//     output[b, o, y] ~ input[b, i, y * stride + t * dilation - pad] * filter[o, i, t],
// summed into whichever of the three is the result.
#ifndef HALO_CODEGEN_LIBRARY_CONVOLUTIONS_LIB_CONV_H_
#define HALO_CODEGEN_LIBRARY_CONVOLUTIONS_LIB_CONV_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "halo/codegen/library/lib_shapes.h"

namespace halo {

enum ConvRole : uint8_t { kConvInput, kConvFilter, kConvOutput };

// Dimensions in the order [batch, feature, space...]; for a filter [group, output, input,
// space...]. A negative stride means that the dimension is traversed from its end.
struct ConvArray {
  ElementType type{};
  Dims dims, strides;

  [[nodiscard]] int64_t count() const { return ElementsIn(dims); }
};

struct ConvDim {
  int64_t stride = 1, dilation = 1, pad = 0;
};

struct ConvProblem {
  ConvRole result = kConvOutput;
  std::array<ConvArray, 3> arrays;
  std::vector<ConvDim> window;

  [[nodiscard]] std::string SizeText() const;
};

// An array with its dimensions in the order [first, second, space...].
ConvArray Arranged(const Placed& array, size_t first, size_t second,
                   const std::vector<size_t>& spatial);
// Makes [group, output, input, space...] from a filter of [output, input, space...]; `split` is the
// dimension that contains all groups.
ConvArray Grouped(ConvArray filter, int64_t groups, size_t split);
// Makes a spatial dimension of a filter run from its end.
void ReverseSpace(ConvArray& filter, size_t dim);

class ConvKernel {
 public:
  virtual ~ConvKernel() = default;
  // `arrays` by role. Returns false if the library fails at run time.
  virtual bool Run(const std::array<void*, 3>& arrays, void* scratch) const = 0;
  [[nodiscard]] virtual int64_t scratch_bytes() const = 0;
  [[nodiscard]] virtual std::string Text() const = 0;

 protected:
  ConvKernel() = default;
  ConvKernel(const ConvKernel&) = default;
  ConvKernel& operator=(const ConvKernel&) = default;
};

// oneDNN's convolution, for f32, bf16 and f16; null if it has no fast one.
std::unique_ptr<ConvKernel> MakeOneDnnConvolution(const ConvProblem& problem);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_CONVOLUTIONS_LIB_CONV_H_
