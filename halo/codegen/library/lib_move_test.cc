// Moves between layouts with and without gaps are compared with a loop over all elements: short
// runs, narrow and wide transpositions, conversions.
#include "halo/codegen/library/lib_move.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

using enum ElementType;

// Strides of dimensions that are stored in the given order, the last one innermost, with `gap`
// unused elements after each of the innermost ones.
std::vector<int64_t> StridesFor(const std::vector<int64_t>& dims, const std::vector<size_t>& order,
                                int64_t gap) {
  std::vector<int64_t> strides(dims.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step = step * dims[order[i]] + (i + 1 == order.size() ? gap : 0);
  }
  return strides;
}

struct Layout {
  std::vector<int64_t> strides;
  int64_t size = 1;  // elements and gaps

  Layout(const std::vector<int64_t>& dims, const std::vector<size_t>& order, int64_t gap)
      : strides(StridesFor(dims, order, gap)) {
    for (size_t i = 0; i < dims.size(); ++i) size += (dims[i] - 1) * strides[i];
  }
};

void CheckMove(ElementType from_type, ElementType to_type, const std::vector<int64_t>& dims,
               const Layout& from, const Layout& to, std::mt19937& random) {
  const size_t from_bytes = StoredBytes(from_type);
  const size_t to_bytes = StoredBytes(to_type);
  std::vector<uint8_t> source(static_cast<size_t>(from.size) * from_bytes);
  if (from_type == to_type) {
    for (uint8_t& each : source) each = static_cast<uint8_t>(random());
  } else {
    for (size_t i = 0; i < source.size(); i += from_bytes) {
      StoreFloat(from_type, static_cast<double>(random() % 64), &source[i]);
    }
  }
  std::vector<uint8_t> moved(static_cast<size_t>(to.size) * to_bytes, 0xA5);
  std::vector<uint8_t> expected = moved;
  const int64_t count =
      std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<int64_t>());
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    int64_t from_at = 0;
    int64_t to_at = 0;
    for (size_t i = dims.size(); i-- > 0;) {
      from_at += rest % dims[i] * from.strides[i];
      to_at += rest % dims[i] * to.strides[i];
      rest /= dims[i];
    }
    const uint8_t* in = &source[static_cast<size_t>(from_at) * from_bytes];
    uint8_t* out = &expected[static_cast<size_t>(to_at) * to_bytes];
    if (from_type == to_type) {
      std::memcpy(out, in, to_bytes);
    } else {
      StoreFloat(to_type, LoadFloat(from_type, in), out);
    }
  }
  Move(from_type, to_type, dims, from.strides, to.strides).Run(source.data(), moved.data());
  std::string text(TextOf(from_type));
  for (const int64_t dim : dims) text += " " + std::to_string(dim);
  for (const int64_t stride : from.strides) text += " from " + std::to_string(stride);
  for (const int64_t stride : to.strides) text += " to " + std::to_string(stride);
  EXPECT_TRUE(moved == expected) << text;
}

TEST(LibMoveTest, EveryOrderOfTheDimensions) {
  std::mt19937 random(5);
  const std::vector<std::vector<int64_t>> shapes = {
      {3, 5, 7},    {2, 2, 2, 2}, {40, 2, 3}, {2, 70, 4}, {65, 33}, {2, 300},
      {4, 3, 8, 2}, {1, 6, 1},    {16, 9, 4}, {7, 64},    {5},      {2, 2, 50, 2}};
  for (const auto& dims : shapes) {
    std::vector<size_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      for (const ElementType type : {kS8, kBF16, kF32, kC64, kC128}) {
        for (const int64_t gap : {0, 1, 4}) {
          std::vector<size_t> plain(dims.size());
          std::iota(plain.begin(), plain.end(), 0);
          CheckMove(type, type, dims, Layout(dims, order, gap), Layout(dims, plain, 0), random);
          CheckMove(type, type, dims, Layout(dims, plain, 0), Layout(dims, order, gap), random);
          CheckMove(type, type, dims, Layout(dims, order, gap), Layout(dims, plain, gap), random);
        }
      }
      CheckMove(kBF16, kF32, dims, Layout(dims, order, 1), Layout(dims, order, 0), random);
      CheckMove(kF32, kF16, dims, Layout(dims, order, 0),
                Layout(dims, std::vector<size_t>(order.rbegin(), order.rend()), 2), random);
      if (testing::Test::HasFailure()) return;
    } while (std::ranges::next_permutation(order).found);
  }
}

// Enough rows for several threads, each of which begins in the middle.
TEST(LibMoveTest, LargeArrays) {
  std::mt19937 random(6);
  const std::vector<int64_t> dims = {30, 2, 50, 40, 2};
  for (const std::vector<size_t>& order : std::vector<std::vector<size_t>>{
           {0, 1, 2, 3, 4}, {4, 0, 1, 2, 3}, {1, 0, 2, 3, 4}, {3, 2, 1, 0, 4}, {0, 4, 3, 2, 1}}) {
    for (const int64_t gap : {0, 2}) {
      CheckMove(kC64, kC64, dims, Layout(dims, order, gap), Layout(dims, {0, 1, 2, 3, 4}, 0),
                random);
      CheckMove(kF32, kF32, dims, Layout(dims, {0, 1, 2, 3, 4}, gap), Layout(dims, order, 0),
                random);
    }
  }
}

TEST(LibMoveTest, NothingToMove) {
  uint8_t untouched = 7;
  Move(kF32, kF32, std::vector<MoveAxis>{{0, 1, 1}, {3, 0, 0}}).Run(nullptr, &untouched);
  EXPECT_EQ(untouched, 7);
}

}  // namespace
}  // namespace halo
