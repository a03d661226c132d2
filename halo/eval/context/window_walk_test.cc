// Tests placements and elements of windows, including numbers beyond any array.
#include "halo/eval/context/window_walk.h"

#include <limits>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(WindowWalk, Placements) {
  EXPECT_EQ(WindowPlacements({.size = 3}, 5), 3);
  EXPECT_EQ(WindowPlacements({.size = 3, .stride = 2, .pad_low = 1, .pad_high = 1}, 5), 3);
  EXPECT_EQ(WindowPlacements({.size = 2, .lhs_dilate = 2, .rhs_dilate = 3}, 5), 6);
  EXPECT_EQ(WindowPlacements({.size = 6}, 5), 0);
  EXPECT_EQ(WindowPlacements({.size = 1, .pad_low = -3, .pad_high = -3}, 5), 0);
  EXPECT_EQ(WindowPlacements({.size = 1, .stride = std::numeric_limits<int64_t>::max()}, 5), 1);
}

TEST(WindowWalk, SeesElementsOnly) {
  const WindowDim window = {.size = 3, .stride = 2, .pad_low = 2, .lhs_dilate = 2, .rhs_dilate = 1};
  const int64_t start = WindowStart(window, 1);
  EXPECT_EQ(start, 0);
  EXPECT_EQ(WindowElement(window, start, 0, 2), 0);
  EXPECT_EQ(WindowElement(window, start, 1, 2), -1);
  EXPECT_EQ(WindowElement(window, start, 2, 2), 1);
  EXPECT_EQ(WindowElement(window, start + 2, 2, 2), -1);
  EXPECT_EQ(WindowElement(window, WindowStart(window, 0), 0, 2), -1);
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(WindowElement({.size = kFar, .rhs_dilate = kFar}, kFar, kFar, 2), -1);
}

TEST(WindowWalk, VisitsABlockOfPlacements) {
  Window window;
  window.dims = {WindowDim{}, WindowDim{.size = 2, .pad_low = 1}};
  const Dims operand = {2, 3};
  const Dims placements = {2, 3};
  WindowWalk walk(window, operand, placements);
  walk.SetPlacements(0, 6);
  std::vector<int64_t> lanes;
  std::vector<int64_t> offsets;
  walk.Visit(lanes, offsets);
  EXPECT_EQ(lanes, (std::vector<int64_t>{1, 2, 4, 5}));
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 1, 3, 4}));
  EXPECT_TRUE(walk.Next());
  walk.Visit(lanes, offsets);
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(walk.Next());
}

}  // namespace
}  // namespace halo
