// Every notation of shardings: what is accepted, and that canonical text is what jaxlib 0.10.2
// prints for the same input (the right-hand sides were taken from it).
#include "halo/ir/sharding/sharding.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace halo {
namespace {

std::string Printed(const Sharding& sharding) {
  TextBuffer out;
  PrintSharding(sharding, out);
  return out.str();
}

TEST(Sharding, WholeValues) {
  for (const char* text : {"{replicated}", "{manual}", "{unknown}", "{unreduced}",
                           "{maximal device=3}", "{replicated shard_as 3}"}) {
    const auto sharding = ParseSharding(text);
    ASSERT_TRUE(sharding) << text;
    EXPECT_EQ(Printed(*sharding), text);
    EXPECT_EQ(CanonicalShardingText(text), text);
  }
  EXPECT_EQ(ParseSharding("{maximal device=3}")->device, 3);
  EXPECT_EQ(ParseSharding("{replicated shard_like 7}")->group_id, 7);
}

TEST(Sharding, TiledFields) {
  const auto sharding = ParseSharding("{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  ASSERT_TRUE(sharding);
  EXPECT_EQ(sharding->kind, ShardingKind::kTiled);
  EXPECT_EQ(sharding->tile_dims, (std::vector<int64_t>{2, 1, 2}));
  EXPECT_EQ(sharding->order.reshape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(sharding->order.transpose, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(sharding->subgroups, std::vector{SubgroupKind::kReplicated});
  EXPECT_EQ(*ExpandOrder(sharding->order, 4), (std::vector<int64_t>{0, 2, 1, 3}));
}

TEST(Sharding, NamedFields) {
  const auto sharding = ParseSharding(
      "{mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)), [{'a'}, {'b':(2)2, ?}], "
      "unreduced=max{'b':(1)2}}");
  ASSERT_TRUE(sharding);
  EXPECT_EQ(sharding->kind, ShardingKind::kNamed);
  ASSERT_EQ(sharding->mesh.axes.size(), 2u);
  EXPECT_EQ(sharding->mesh.axes[1].name, "b");
  ASSERT_EQ(sharding->dimensions.size(), 2u);
  EXPECT_TRUE(sharding->dimensions[1].open);
  EXPECT_EQ(sharding->dimensions[1].axes[0], (AxisRef{1, 2, 2}));
  EXPECT_EQ(sharding->reduction, Reduction::kMax);
  EXPECT_EQ(ParseSharding("{maximal_mesh[device_id=3]}")->mesh.only_device, 3);
}

TEST(Sharding, IotaOrdersStaySymbolic) {
  const char* text = "{devices=[1000000,1000,1]<=[1000000000]}";
  EXPECT_EQ(CanonicalShardingText(text), text);
  EXPECT_FALSE(ExpandOrder(ParseSharding(text)->order, 1000));
}

TEST(Sharding, CanonicalForms) {
  const std::pair<const char*, const char*> cases[] = {
      {"{devices=[2,2,1]0,1,2,3}", "{devices=[2,2,1]0,1,2,3}"},
      {"{devices=[2,2,1] 0, 1,2,3}", "{devices=[2,2,1]0,1,2,3}"},
      {"{devices=[2,1,1,2]1,0,3,2 last_tile_dim_replicate}",
       "{devices=[2,1,1,2]0,1,2,3 last_tile_dim_replicate}"},
      {"{devices=[2,1,1,4]<=[2,2,2]T(2,1,0) last_tile_dim_replicate}",
       "{devices=[2,1,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"},
      {"{devices=[2,1,1,2,2]<=[8] last_tile_dims={manual, replicated}}",
       "{devices=[2,1,1,2,2]<=[8] last_tile_dims={manual, replicated}}"},
      {"{devices=[2,1,1,2,2]<=[8] last_tile_dims={replicated, manual}}",
       "{devices=[2,1,1,2,2]<=[2,2,2]T(0,2,1) last_tile_dims={manual, replicated}}"},
      {"{devices=[2,1,1,2,2]<=[8] last_tile_dims={manual, manual}}",
       "{devices=[2,1,1,4]<=[8] last_tile_dims={manual}}"},
      {"{devices=[1,1,1,2,2]<=[4] last_tile_dims={manual, manual}}", "{manual}"},
      {"{devices=[1,1,1,2,1,1]<=[2] last_tile_dims={manual, replicated, manual}}", "{manual}"},
      {"{devices=[1,1,1,4]<=[4] last_tile_dims={unreduced}}", "{unreduced}"},
      {"{devices=[1,1,1,4]<=[4] last_tile_dim_replicate}", "{replicated}"},
      {"{devices=[2,1,1,1]0,1 last_tile_dim_replicate}", "{devices=[2,1,1]0,1}"},
      {"{devices=[2,1,1,1,2]<=[4] last_tile_dims={manual, replicated}}",
       "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"},
      {"{devices=[2,2,1]<=[2,2]T(0,1)}", "{devices=[2,2,1]<=[4]}"},
      {"{devices=[2,2,1]<=[2,1,2]T(2,1,0)}", "{devices=[2,2,1]<=[2,2]T(1,0)}"},
      {"{devices=[4,2,1]<=[2,2,2]T(2,0,1)}", "{devices=[4,2,1]<=[4,2]T(1,0)}"},
      {"{devices=[2,1,1,2,2]7,6,5,4,3,2,1,0 last_tile_dims={replicated, manual}}",
       "{devices=[2,1,1,2,2]5,7,4,6,1,3,0,2 last_tile_dims={manual, replicated}}"},
      {"{devices=[3,1,1,2,4,2]<=[2,3,4,2]T(1,2,0,3) last_tile_dims={replicated, manual, "
       "replicated}}",
       "{devices=[3,1,1,4,4]<=[2,3,2,2,2]T(1,3,0,2,4) last_tile_dims={manual, replicated}}"},
      {"{devices=[6,1,1,4]<=[2,3,4]T(2,1,0) last_tile_dim_replicate}",
       "{devices=[6,1,1,4]0,4,12,16,1,8,13,20,5,9,17,21,2,6,14,18,3,10,15,22,7,11,19,23 "
       "last_tile_dim_replicate}"},
      {"{replicated manual}", "{replicated}"},
      {"{metadata={op_name=\"a\" op_type='b'} replicated}",
       "{replicated metadata={op_type=\"b\" op_name=\"a\"}}"},
      {"{replicated metadata={{op_name=\"a\"},{source_line=3}}}",
       "{replicated metadata={{op_name=\"a\"}, {source_line=3}}}"},
      {"{replicated metadata={{op_name=\"a\"}}}", "{replicated metadata={op_name=\"a\"}}"},
      {"{replicated metadata={}}", "{replicated metadata={}}"},
      {"{mesh['a'=2,'b'=4], [{'0'}, {'1'}, {}]}", "{mesh['a'=2,'b'=4], [{'a'}, {'b'}, {}]}"},
      {"{mesh['a'=2,'b'=4], device_ids=([8]), [{'a'},{},{}], replicated={}, manual={}}",
       "{mesh['a'=2,'b'=4], [{'a'}, {}, {}]}"},
      {"{mesh['a'=2,'b'=4], [{'a'}, {}, {}], manual={'b':(2)2}, unreduced={'b':(1)2}}",
       "{mesh['a'=2,'b'=4], [{'a'}, {}, {}], unreduced={'b':(1)2}, manual={'b':(2)2}}"},
      {"{mesh['a'=2], [{'a'}], metadata={op_name=\"x\"}}",
       "{mesh['a'=2], [{'a'}], metadata={{op_name=\"x\"}}}"},
      {"{mesh['a'=2,'b'=4], replicated}", "{mesh['a'=2,'b'=4], replicated}"},
      {"{mesh['a'=2,'b'=4], manual}", "{mesh['a'=2,'b'=4], manual}"},
      {"{mesh['a'=2,'b'=4], unreduced}", "{mesh['a'=2,'b'=4], unreduced}"},
      {"{mesh[], [{}, {}]}", "{mesh[], [{}, {}]}"},
      {"{}", "{}"},
      {"{{replicated},{manual},{maximal device=0},{replicated},{replicated},/*index=9*/{manual}}",
       "{{replicated}, {manual}, {maximal device=0}, {replicated}, {replicated}, "
       "/*index=5*/{manual}}"},
  };
  for (const auto& [text, canonical] : cases) {
    std::string why;
    EXPECT_TRUE(ParseSharding(text, &why)) << text << ": " << why;
    EXPECT_TRUE(CheckSharding(text)) << text;
    EXPECT_EQ(CanonicalShardingText(text), canonical);
    EXPECT_EQ(CanonicalShardingText(canonical), canonical);
  }
}

TEST(Sharding, OneForAllLeaves) {
  EXPECT_EQ(CanonicalShardingText("{replicated}", 2), "{{replicated}, {replicated}}");
  EXPECT_EQ(CanonicalShardingText("{{manual}}", 2), "{{manual}}");
}

TEST(Sharding, NewerPartsThanTheOracles) {
  for (const char* text :
       {"{mesh['a'=2,'b'=4], unreduced=max}", "{mesh['a'=2], [{}], unreduced=min{'a'}}"}) {
    EXPECT_EQ(CanonicalShardingText(text), text);
  }
}

// What jaxlib 0.12 prints for a value on one device, and what it printed before.
TEST(Sharding, SingleDevice) {
  const std::pair<const char*, const char*> cases[] = {
      {"{single_device[device_id=3]}", "{single_device[device_id=3]}"},
      {"{maximal_mesh[device_id=3]}", "{single_device[device_id=3]}"},
      {"{single_device[device_id=-1]}", "{single_device[device_id=-1]}"},
      {"{single_device[device_id=3], metadata={op_name=\"a\"}}",
       "{single_device[device_id=3], metadata={{op_name=\"a\"}}}"},
      {"{{single_device[device_id=0]}, {single_device[device_id=1]}}",
       "{{single_device[device_id=0]}, {single_device[device_id=1]}}"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_TRUE(ParseSharding(text)) << text;
    EXPECT_EQ(CanonicalShardingText(text), canonical);
  }
  EXPECT_EQ(ParseSharding("{single_device[device_id=3]}")->mesh.only_device, 3);
}

TEST(Sharding, ContradictionsAreNotUnknownForms) {
  for (const char* text :
       {"{maximal}", "{devices=[2,2]0,1,2}", "{devices=[2,2]<=[5]}", "{devices=[2,2]<=[2,2]T(0,0)}",
        "{replicated devices=[2]0,1}", "{mesh['a'=2], [{'z'}]}", "{mesh['a'=2], [{?, 'a'}]}"}) {
    bool contradicts = false;
    EXPECT_FALSE(ParseSharding(text, nullptr, &contradicts)) << text;
    EXPECT_TRUE(contradicts) << text;
  }
  for (const char* text : {"{foo}", "{replicated} x", "{single_device[3]}", "{torus['a'=2], [{}]}",
                           "{mesh['a'=2], [{'a'}], folded={'a'}}", "[2,2]"}) {
    bool contradicts = true;
    EXPECT_FALSE(ParseSharding(text, nullptr, &contradicts)) << text;
    EXPECT_FALSE(contradicts) << text;
  }
}

TEST(Sharding, Refusals) {
  for (const char* text : {"",
                           "{",
                           "replicated",
                           "{replicated",
                           "{foo}",
                           "{maximal}",
                           "{devices=[2,2]0,1,2}",
                           "{devices=[2,2]<=[5]}",
                           "{devices=[2,2]<=[2,2]T(0,0)}",
                           "{devices=[2,2]<=[2,2]T(0)}",
                           "{devices=[9223372036854775807,9]<=[1]}",
                           "{devices=[-2,-2]<=[4]}",
                           "{devices=[2]<=[2] last_tile_dims={manual,manual}}",
                           "{replicated devices=[2]0,1}",
                           "{mesh['a'=2], [{'z'}]}",
                           "{mesh['a'=2], [{'a':(0)0}]}",
                           "{mesh['a'=2], [{?, 'a'}]}",
                           "{mesh['a'=2], device_ids=(0,1,2), [{}]}",
                           "{replicated} x",
                           "{{replicated}, {{manual}}}",
                           "{replicated metadata={op_name=}}",
                           "{maximal_mesh[device_id=x]}"}) {
    std::string why;
    EXPECT_FALSE(CheckSharding(text)) << text;
    EXPECT_FALSE(ParseSharding(text, &why)) << text;
    EXPECT_NE(why, "") << text;
    EXPECT_EQ(CanonicalShardingText(text), text);
  }
}

}  // namespace
}  // namespace halo
