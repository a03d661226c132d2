// The vector that grows with realloc, in the cases where its behavior is not obvious.
#include "halo/base/containers/flat_vector.h"

#include <utility>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(FlatVector, PushingOneOfItsItems) {
  FlatVector<int> vector;
  vector.push_back(7);
  while (vector.size() < 1000) vector.push_back(vector[0]);
  for (const int item : vector) EXPECT_EQ(item, 7);
}

TEST(FlatVector, ResizesAndFills) {
  FlatVector<int> vector(3);
  EXPECT_EQ(vector[2], 0);
  vector.resize(5, 9);
  EXPECT_EQ(vector[2], 0);
  EXPECT_EQ(vector[4], 9);
  vector.resize(1);
  EXPECT_EQ(vector.size(), 1u);
  int* added = vector.extend(2);
  added[0] = 4;
  added[1] = 5;
  EXPECT_EQ(vector.back(), 5);
}

TEST(FlatVector, CopiesAndMoves) {
  FlatVector<int> vector;
  for (int i = 0; i < 100; ++i) vector.push_back(i);
  FlatVector<int> copy = vector;
  copy[0] = -1;
  EXPECT_EQ(vector[0], 0);
  const FlatVector<int> moved = std::move(vector);
  EXPECT_EQ(moved.size(), 100u);
  vector = copy;
  EXPECT_EQ(vector[0], -1);
  vector.clear();
  vector.shrink_to_fit();
  EXPECT_EQ(vector.capacity(), 0u);
  vector.append(copy.data(), copy.size());
  EXPECT_EQ(vector.size(), 100u);
}

}  // namespace
}  // namespace halo
