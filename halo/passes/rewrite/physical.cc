// Everything here follows from strides; the strides of dimensions of size 1 do not matter.
#include "halo/passes/rewrite/physical.h"

#include <algorithm>

#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

struct Axis {
  int64_t size, stride;
  friend bool operator==(const Axis&, const Axis&) = default;
};

// The dimensions larger than 1, in logical order.
std::vector<Axis> AxesOf(const ShapeTable& shapes, ShapeId shape) {
  const std::vector<int64_t> strides = StridesOf(shapes, shape);
  std::vector<Axis> axes;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (shapes.dims(shape)[i] != 1) axes.push_back({shapes.dims(shape)[i], strides[i]});
  }
  return axes;
}

bool HasZero(std::span<const int64_t> dims) { return std::ranges::find(dims, 0) != dims.end(); }

// Merges neighbours that together have the stride of the inner one.
void Join(std::vector<Axis>& axes) {
  std::vector<Axis> joined;
  for (const Axis& axis : axes) {
    if (!joined.empty() && joined.back().stride == axis.stride * axis.size) {
      joined.back() = {joined.back().size * axis.size, axis.stride};
    } else {
      joined.push_back(axis);
    }
  }
  axes = std::move(joined);
}

}  // namespace

std::vector<int64_t> StridesOf(const ShapeTable& shapes, ShapeId shape) {
  std::vector<int64_t> strides(shapes.dims(shape).size(), 1);
  int64_t stride = 1;
  for (const int64_t dim : MinorToMajor(shapes, shape)) {
    strides[static_cast<size_t>(dim)] = stride;
    stride *= shapes.dims(shape)[static_cast<size_t>(dim)];
  }
  return strides;
}

// Once merged as far as possible, the two lists are equal if and only if all positions agree.
bool ReshapeIsBitcast(const ShapeTable& shapes, ShapeId from, ShapeId to) {
  if (HasZero(shapes.dims(from)) || HasZero(shapes.dims(to))) return true;
  std::vector<Axis> before = AxesOf(shapes, from);
  std::vector<Axis> after = AxesOf(shapes, to);
  Join(before);
  Join(after);
  return before == after;
}

bool TransposeIsBitcast(const ShapeTable& shapes, ShapeId from, ShapeId to,
                        std::span<const int64_t> permutation) {
  if (HasZero(shapes.dims(from))) return true;
  const std::vector<int64_t> before = StridesOf(shapes, from);
  const std::vector<int64_t> after = StridesOf(shapes, to);
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (shapes.dims(to)[i] == 1) continue;
    if (after[i] != before[static_cast<size_t>(permutation[i])]) return false;
  }
  return true;
}

std::vector<int64_t> MajorToMinor(const ShapeTable& shapes, ShapeId shape) {
  std::vector<int64_t> order = MinorToMajor(shapes, shape);
  std::ranges::reverse(order);
  std::erase_if(order,
                [&](int64_t dim) { return shapes.dims(shape)[static_cast<size_t>(dim)] == 1; });
  return order;
}

bool SameUpToOnes(const ShapeTable& shapes, ShapeId a, ShapeId b) {
  return AxesOf(shapes, a) == AxesOf(shapes, b);
}

}  // namespace halo
