// Windows of convolutions and pooling, as the integer list that attributes store: the rank, a mask
// of the fields that were written, then each written field for all dimensions (pad as pairs).
#ifndef HALO_IR_ATTRIBUTES_WINDOW_H_
#define HALO_IR_ATTRIBUTES_WINDOW_H_

#include <cstdint>
#include <span>
#include <vector>

namespace halo {

enum WindowField : uint8_t {
  kWindowSize = 1 << 0,
  kWindowStride = 1 << 1,
  kWindowPad = 1 << 2,
  kWindowLhsDilate = 1 << 3,
  kWindowRhsDilate = 1 << 4,
  kWindowRhsReversal = 1 << 5,
};

struct WindowDim {
  int64_t size = 1, stride = 1, pad_low = 0, pad_high = 0, lhs_dilate = 1, rhs_dilate = 1;
  bool reversal = false;
};

struct Window {
  uint8_t fields = 0;  // mask of the fields that were written
  std::vector<WindowDim> dims;
};

std::vector<int64_t> EncodeWindow(const Window& window);
Window DecodeWindow(std::span<const int64_t> encoded);

// The fields that XLA would print: size, and those that differ from their default in any dimension.
uint8_t NeededFields(const Window& window);

}  // namespace halo

#endif  // HALO_IR_ATTRIBUTES_WINDOW_H_
