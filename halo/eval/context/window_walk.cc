// Arithmetic of window placements. Strides and paddings may have any value, so sums wrap and are
// compared against the array's bounds afterwards.
#include "halo/eval/context/window_walk.h"

#include <algorithm>

namespace halo {

namespace {

int64_t Wrapping(int64_t a, int64_t b, int64_t c) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) +
                              static_cast<uint64_t>(c));
}

bool IsPoint(const WindowDim& dim) {
  return dim.size == 1 && dim.stride == 1 && dim.pad_low == 0 && dim.pad_high == 0 &&
         dim.lhs_dilate <= 1;
}

}  // namespace

int64_t WindowPlacements(const WindowDim& window, int64_t elements) {
  const int64_t dilated = elements == 0 ? 0 : Wrapping(elements - 1, window.lhs_dilate, 1);
  const int64_t padded = Wrapping(1, dilated, Wrapping(1, window.pad_low, window.pad_high));
  const int64_t extent = window.size == 0 ? 0 : Wrapping(window.size - 1, window.rhs_dilate, 1);
  if (padded < extent || padded <= 0 || extent < 0 || window.stride <= 0) return 0;
  return (padded - extent) / window.stride + 1;
}

int64_t WindowStart(const WindowDim& window, int64_t placement) {
  return Wrapping(placement, window.stride,
                  static_cast<int64_t>(-static_cast<uint64_t>(window.pad_low)));
}

int64_t WindowElement(const WindowDim& window, int64_t start, int64_t position, int64_t elements) {
  const int64_t at = Wrapping(position, window.rhs_dilate, start);
  if (at < 0) return -1;
  if (window.lhs_dilate <= 1) return at < elements ? at : -1;
  const int64_t element = at / window.lhs_dilate;
  return element < elements && at % window.lhs_dilate == 0 ? element : -1;
}

Dims WindowResultDims(const Window& window, std::span<const int64_t> operand,
                      std::span<const int64_t> declared_operand,
                      std::span<const int64_t> declared_result) {
  Dims result(declared_result.begin(), declared_result.end());
  for (size_t i = 0; i < result.size(); ++i) {
    if (operand[i] == declared_operand[i]) continue;
    const WindowDim dim = i < window.dims.size() ? window.dims[i] : WindowDim{};
    result[i] = std::min(result[i], WindowPlacements(dim, operand[i]));
  }
  return result;
}

WindowWalk::WindowWalk(const Window& window, std::span<const int64_t> operand,
                       std::span<const int64_t> placements)
    : placements_(placements.begin(), placements.end()), plain_strides_(RowMajorStrides(operand)) {
  for (size_t i = 0; i < operand.size(); ++i) {
    WindowDim dim = i < window.dims.size() ? window.dims[i] : WindowDim{};
    dim.size = std::max<int64_t>(dim.size, 1);
    if (IsPoint(dim)) continue;
    axes_.push_back({dim, operand[i], plain_strides_[i], i});
    plain_strides_[i] = 0;
    sizes_.push_back(dim.size);
  }
  position_.assign(axes_.size(), 0);
}

void WindowWalk::SetPlacements(int64_t first, size_t n) {
  Dims index(placements_.size(), 0);
  for (size_t i = placements_.size(); i-- > 0;) {
    index[i] = first % placements_[i];
    first /= placements_[i];
  }
  start_.resize(n * axes_.size());
  base_.resize(n);
  for (size_t lane = 0; lane < n; ++lane) {
    int64_t base = 0;
    for (size_t i = 0; i < index.size(); ++i) base += index[i] * plain_strides_[i];
    base_[lane] = base;
    for (size_t a = 0; a < axes_.size(); ++a) {
      const WindowDim& window = axes_[a].window;
      start_[lane * axes_.size() + a] = WindowStart(window, index[axes_[a].dim]);
    }
    NextIndex(placements_, index);
  }
}

void WindowWalk::Rewind() { std::fill(position_.begin(), position_.end(), 0); }

bool WindowWalk::Next() { return NextIndex(sizes_, position_); }

void WindowWalk::Visit(std::vector<int64_t>& lanes, std::vector<int64_t>& offsets) const {
  lanes.clear();
  offsets.clear();
  for (size_t lane = 0; lane < base_.size(); ++lane) {
    int64_t offset = base_[lane];
    bool seen = true;
    for (size_t a = 0; a < axes_.size() && seen; ++a) {
      const Axis& axis = axes_[a];
      const int64_t element =
          WindowElement(axis.window, start_[lane * axes_.size() + a], position_[a], axis.elements);
      seen = element >= 0;
      offset += seen ? element * axis.stride : 0;
    }
    if (!seen) continue;
    lanes.push_back(static_cast<int64_t>(lane));
    offsets.push_back(offset);
  }
}

}  // namespace halo
