// Slices and gathers arrays by shardings in every notation.
#include "halo/eval/collectives/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/semantics/devices/sdy_sharding.h"

namespace halo {
namespace {

using ::testing::ElementsAre;

Array Iota(const Dims& dims) {
  Array array(ElementType::kS32, dims);
  int32_t next = 0;
  for (int32_t& value : array.Mutable<int32_t>()) value = next++;
  return array;
}

void SlicesAndGathers(const Sharding& sharding, const Array& whole, int64_t devices) {
  const auto tiling = TilingOf(sharding, whole.dims(), devices);
  ASSERT_TRUE(tiling);
  std::vector<Array> shards;
  for (int64_t device = 0; device < devices; ++device) {
    shards.push_back(ShardOf(whole, *tiling, device));
  }
  const Array gathered = GatherShards(shards, *tiling, whole.dims());
  EXPECT_TRUE(std::ranges::equal(gathered.as<int32_t>(), whole.as<int32_t>()));
}

TEST(Shards, TilesInTransposedOrder) {
  const auto sharding = ParseSharding("{devices=[2,2]<=[2,2]T(1,0)}");
  ASSERT_TRUE(sharding);
  const Array whole = Iota({4, 4});
  const auto tiling = TilingOf(*sharding, whole.dims(), 4);
  ASSERT_TRUE(tiling);
  EXPECT_THAT(ShardOf(whole, *tiling, 1).as<int32_t>(), ElementsAre(8, 9, 12, 13));
  SlicesAndGathers(*sharding, whole, 4);
}

TEST(Shards, WhatDoesNotDivideIsPadded) {
  const auto sharding = ParseSharding("{devices=[4]<=[4]}");
  const Array whole = Iota({6});
  const auto tiling = TilingOf(*sharding, whole.dims(), 4);
  ASSERT_TRUE(tiling);
  EXPECT_THAT(tiling->tile, ElementsAre(2));
  EXPECT_THAT(ShardOf(whole, *tiling, 3).as<int32_t>(), ElementsAre(0, 0));
  SlicesAndGathers(*sharding, whole, 4);
}

TEST(Shards, CopiesOfATile) {
  const auto sharding = ParseSharding("{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  SlicesAndGathers(*sharding, Iota({4, 3}), 4);
  SlicesAndGathers(*ParseSharding("{replicated}"), Iota({4, 3}), 4);
}

TEST(Shards, OtherDevicesThanThereAre) {
  EXPECT_FALSE(TilingOf(*ParseSharding("{devices=[2]<=[2]}"), Dims{4}, 4));
  EXPECT_FALSE(TilingOf(*ParseSharding("{manual}"), Dims{4}, 4));
}

TEST(SdySharding, OverTheAxesOfAMesh) {
  Module module;
  const std::vector<int64_t> entries = {
      module.Str("xla.sdy.meshes").value,
      module.Str("{mesh = #sdy.mesh<[\"data\"=2, \"model\"=4]>}").value, 0};
  const Attr attr = module.MakeInts(AttrKey::k_frontend_attributes, entries);
  module.attrs = module.Attrs({&attr, 1});
  const auto shardings = ReadSdyShardings(
      module, R"(#sdy.sharding_per_value<[<@mesh, [{"model"}, {"data"}]>, <@mesh, [{}, {?}]>]>)",
      nullptr);
  ASSERT_TRUE(shardings);
  ASSERT_EQ(shardings->size(), 2u);
  const Array whole = Iota({4, 4});
  const auto tiling = TilingOf((*shardings)[0], whole.dims(), 8);
  ASSERT_TRUE(tiling);
  EXPECT_THAT(tiling->tile, ElementsAre(1, 2));
  // Device 6 is data 1, model 2.
  EXPECT_THAT(ShardOf(whole, *tiling, 6).as<int32_t>(), ElementsAre(10, 11));
  SlicesAndGathers((*shardings)[0], whole, 8);
  SlicesAndGathers((*shardings)[1], whole, 8);
  EXPECT_THAT(ReadSdyAxes("#sdy<manual_axes{\"data\", \"model\"}>"), ElementsAre("data", "model"));
  EXPECT_FALSE(ReadSdyShardings(module, "#sdy.sharding_per_value<[<@other, [{}]>]>", nullptr));
}

}  // namespace
}  // namespace halo
