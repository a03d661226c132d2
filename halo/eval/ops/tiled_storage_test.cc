// Tests stored positions of tiled layouts against positions worked out by hand.
#include "halo/eval/ops/tiled_storage.h"

#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(TiledStorage, PadsToWholeTiles) {
  Layout layout;
  layout.minor_to_major = {1, 0};
  layout.tiles = {{8, 128}};
  const auto storage = TiledStorage::Make(std::vector<int64_t>{14, 14}, layout);
  ASSERT_TRUE(storage);
  EXPECT_EQ(storage->size(), 2 * 8 * 128);
  EXPECT_EQ(storage->PositionOf(std::vector<int64_t>{0, 13}), 13);
  EXPECT_EQ(storage->PositionOf(std::vector<int64_t>{7, 0}), 7 * 128);
  EXPECT_EQ(storage->PositionOf(std::vector<int64_t>{8, 1}), 8 * 128 + 1);
}

TEST(TiledStorage, TilesWithinTiles) {
  Layout layout;
  layout.minor_to_major = {0, 1};  // column-major
  layout.tiles = {{4, 4}, {2, 1}};
  const auto storage = TiledStorage::Make(std::vector<int64_t>{4, 4}, layout);
  ASSERT_TRUE(storage);
  EXPECT_EQ(storage->size(), 16);
  // Columns are the major dimension. Pairs of columns alternate element by element.
  EXPECT_EQ(storage->PositionOf(std::vector<int64_t>{0, 0}), 0);
  EXPECT_EQ(storage->PositionOf(std::vector<int64_t>{0, 1}), 1);
  EXPECT_EQ(storage->PositionOf(std::vector<int64_t>{1, 0}), 2);
  EXPECT_EQ(storage->PositionOf(std::vector<int64_t>{0, 2}), 8);
}

TEST(TiledStorage, ShapesOfFewerDimensionsThanTheTile) {
  Layout layout;
  layout.minor_to_major = {0};
  layout.tiles = {{8, 128}};
  const auto storage = TiledStorage::Make(std::vector<int64_t>{130}, layout);
  ASSERT_TRUE(storage);
  EXPECT_EQ(storage->size(), 2 * 8 * 128);
  EXPECT_EQ(storage->PositionOf(std::vector<int64_t>{129}), 8 * 128 + 1);
}

TEST(TiledStorage, RefusesWhatItCannotAddress) {
  Layout layout;
  layout.minor_to_major = {1, 0};
  layout.tiles = {{kCombineDimension, 128}};
  EXPECT_FALSE(TiledStorage::Make(std::vector<int64_t>{2, 2}, layout));
  layout.tiles = {{int64_t{1} << 62, 128}};
  EXPECT_FALSE(TiledStorage::Make(std::vector<int64_t>{2, 2}, layout));
  layout.tiles = {};
  layout.minor_to_major = {0};
  EXPECT_FALSE(TiledStorage::Make(std::vector<int64_t>{2, 2}, layout));
}

}  // namespace
}  // namespace halo
