// Encodes and decodes windows.
#include "halo/ir/attributes/window.h"

namespace halo {

std::vector<int64_t> EncodeWindow(const Window& window) {
  std::vector<int64_t> out = {static_cast<int64_t>(window.dims.size()), window.fields};
  const auto field = [&](WindowField bit, auto&& get) {
    if ((window.fields & bit) == 0) return;
    for (const WindowDim& dim : window.dims) get(dim);
  };
  field(kWindowSize, [&](const WindowDim& d) { out.push_back(d.size); });
  field(kWindowStride, [&](const WindowDim& d) { out.push_back(d.stride); });
  field(kWindowPad, [&](const WindowDim& d) {
    out.push_back(d.pad_low);
    out.push_back(d.pad_high);
  });
  field(kWindowLhsDilate, [&](const WindowDim& d) { out.push_back(d.lhs_dilate); });
  field(kWindowRhsDilate, [&](const WindowDim& d) { out.push_back(d.rhs_dilate); });
  field(kWindowRhsReversal, [&](const WindowDim& d) { out.push_back(d.reversal ? 1 : 0); });
  return out;
}

Window DecodeWindow(std::span<const int64_t> encoded) {
  Window window;
  if (encoded.size() < 2) return window;
  window.dims.resize(static_cast<size_t>(encoded[0]));
  window.fields = static_cast<uint8_t>(encoded[1]);
  size_t at = 2;
  const auto field = [&](WindowField bit, auto&& set) {
    if ((window.fields & bit) == 0) return;
    for (WindowDim& dim : window.dims) set(dim);
  };
  const auto next = [&] { return at < encoded.size() ? encoded[at++] : 0; };
  field(kWindowSize, [&](WindowDim& d) { d.size = next(); });
  field(kWindowStride, [&](WindowDim& d) { d.stride = next(); });
  field(kWindowPad, [&](WindowDim& d) {
    d.pad_low = next();
    d.pad_high = next();
  });
  field(kWindowLhsDilate, [&](WindowDim& d) { d.lhs_dilate = next(); });
  field(kWindowRhsDilate, [&](WindowDim& d) { d.rhs_dilate = next(); });
  field(kWindowRhsReversal, [&](WindowDim& d) { d.reversal = next() != 0; });
  return window;
}

uint8_t NeededFields(const Window& window) {
  uint8_t fields = window.dims.empty() ? 0 : kWindowSize;
  for (const WindowDim& dim : window.dims) {
    if (dim.stride != 1) fields |= kWindowStride;
    if (dim.pad_low != 0 || dim.pad_high != 0) fields |= kWindowPad;
    if (dim.lhs_dilate != 1) fields |= kWindowLhsDilate;
    if (dim.rhs_dilate != 1) fields |= kWindowRhsDilate;
    if (dim.reversal) fields |= kWindowRhsReversal;
  }
  return fields;
}

}  // namespace halo
