// Shapes are interned, print as in XLA, and report their size.
#include "halo/ir/types/shape.h"

#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

class ShapeTest : public testing::Test {
 protected:
  ShapeId Array(ElementType type, std::vector<int64_t> dims, Layout layout = {},
                bool with_layout = false) {
    const LayoutId id = with_layout ? shapes_.InternLayout(std::move(layout)) : LayoutId{};
    return shapes_.Array(type, dims, {}, id);
  }
  ShapeId Tiled(ElementType type, std::vector<int64_t> dims, std::vector<int64_t> order,
                std::vector<std::vector<int64_t>> tiles) {
    Layout layout;
    layout.minor_to_major = std::move(order);
    layout.tiles = std::move(tiles);
    return Array(type, std::move(dims), std::move(layout), true);
  }

  ShapeTable shapes_;
};

TEST_F(ShapeTest, EqualShapesAreOne) {
  EXPECT_EQ(Array(ElementType::kF32, {2, 3}), Array(ElementType::kF32, {2, 3}));
  EXPECT_NE(Array(ElementType::kF32, {2, 3}), Array(ElementType::kF32, {3, 2}));
  EXPECT_NE(Array(ElementType::kF32, {2, 3}), Array(ElementType::kS32, {2, 3}));
  EXPECT_NE(Array(ElementType::kF32, {2, 3}), Tiled(ElementType::kF32, {2, 3}, {1, 0}, {}));
  const ShapeId a = Array(ElementType::kF32, {4});
  EXPECT_EQ(shapes_.Tuple({{a, a}}), shapes_.Tuple({{a, a}}));
  EXPECT_NE(shapes_.Tuple({{a}}), a);
  // A dynamic dimension differs from a static one of the same bound.
  const std::vector<int64_t> dims = {4};
  const std::vector<uint8_t> dynamic = {1};
  EXPECT_NE(shapes_.Array(ElementType::kF32, dims, dynamic), a);
  EXPECT_TRUE(shapes_.is_dynamic(shapes_.Array(ElementType::kF32, dims, dynamic), 0));
}

TEST_F(ShapeTest, Prints) {
  const ShapeId scalar = Array(ElementType::kF32, {});
  EXPECT_EQ(shapes_.Text(scalar), "f32[]");
  EXPECT_EQ(shapes_.Text(Tiled(ElementType::kBF16, {8, 128}, {1, 0}, {{8, 128}, {2, 1}})),
            "bf16[8,128]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(shapes_.Text(Tiled(ElementType::kBF16, {8, 128}, {0, 1}, {}), false), "bf16[8,128]");
  const std::vector<int64_t> dims = {kUnboundedDimension, 8, 3};
  const std::vector<uint8_t> dynamic = {1, 1, 0};
  EXPECT_EQ(shapes_.Text(shapes_.Array(ElementType::kPred, dims, dynamic)), "pred[?,<=8,3]");
  EXPECT_EQ(shapes_.Text(shapes_.Tuple({})), "()");
  const std::vector<ShapeId> six(6, scalar);
  EXPECT_EQ(shapes_.Text(shapes_.Tuple(six)),
            "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])");
  EXPECT_EQ(shapes_.Text(shapes_.Buffer(Array(ElementType::kU8, {16}))), "b(u8[16])");
  EXPECT_EQ(shapes_.Text(Array(ElementType::kToken, {})), "token[]");
}

TEST_F(ShapeTest, EveryLayoutPartPrintsInOrder) {
  Layout layout;
  layout.minor_to_major = {1, 0};
  layout.dim_levels = "(D,C)";
  layout.tiles = {{kCombineDimension, 128}, {2, 1}};
  layout.tail_padding_alignment = 4;
  layout.index_type = ElementType::kU32;
  layout.pointer_type = ElementType::kU16;
  layout.element_bits = 4;
  layout.memory_space = 5;
  layout.splits = {{0, {2, 4}}};
  layout.physical_shape = Array(ElementType::kF32, {8});
  layout.dynamic_metadata_bytes = 1024;
  layout.unknown = "Q(7)";
  EXPECT_EQ(
      shapes_.Text(Array(ElementType::kS4, {4, 8}, layout, true)),
      "s4[4,8]{1,0:D(D,C)T(*,128)(2,1)L(4)#(u32)*(u16)E(4)S(5)SC(0:2,4)P(f32[8])M(1024)Q(7)}");
}

TEST_F(ShapeTest, SizesFollowTiles) {
  EXPECT_EQ(shapes_.ByteSize(Array(ElementType::kF32, {3, 5})), 60);
  EXPECT_EQ(shapes_.ByteSize(Array(ElementType::kF32, {})), 4);
  EXPECT_EQ(shapes_.ByteSize(Array(ElementType::kF32, {0, 5})), 0);
  EXPECT_EQ(shapes_.ByteSize(Array(ElementType::kC128, {2})), 32);
  // A 3x5 array in 8x128 tiles takes one whole tile.
  EXPECT_EQ(shapes_.ByteSize(Tiled(ElementType::kF32, {3, 5}, {1, 0}, {{8, 128}})), 4096);
  EXPECT_EQ(shapes_.ByteSize(Tiled(ElementType::kBF16, {16, 256}, {1, 0}, {{8, 128}, {2, 1}})),
            8192);
  // The dimension order determines which dimensions the tile covers.
  EXPECT_EQ(shapes_.ByteSize(Tiled(ElementType::kF32, {1, 128, 8}, {1, 2, 0}, {{8, 128}})), 4096);
  EXPECT_EQ(shapes_.ByteSize(Tiled(ElementType::kF32, {}, {}, {{128}})), 512);
  // Elements may be packed.
  Layout packed;
  packed.minor_to_major = {0};
  packed.element_bits = 4;
  EXPECT_EQ(shapes_.ByteSize(Array(ElementType::kS4, {9}, packed, true)), 5);
  const ShapeId f32 = Array(ElementType::kF32, {2});
  EXPECT_EQ(shapes_.ByteSize(shapes_.Tuple({{f32, f32, Array(ElementType::kToken, {})}})), 16);
  EXPECT_EQ(shapes_.ByteSize(shapes_.Buffer(f32)), 8);
}

TEST_F(ShapeTest, UnknownArraysKeepTheirText) {
  Layout row_major;
  row_major.minor_to_major = {0};
  const LayoutId layout = shapes_.InternLayout(row_major);
  const ShapeId unknown = shapes_.Unknown("f9e3[4]", layout);
  EXPECT_EQ(shapes_.Text(unknown), "f9e3[4]{0}");
  EXPECT_EQ(shapes_.Text(unknown, false), "f9e3[4]");
  EXPECT_EQ(shapes_.Text(shapes_.WithoutLayouts(unknown)), "f9e3[4]");
  EXPECT_EQ(shapes_.WithDefaultLayouts(unknown), unknown);
  EXPECT_FALSE(shapes_.ByteSize(unknown));
  EXPECT_FALSE(shapes_.is_array(unknown));
  const ShapeId tuple = shapes_.Tuple({{Array(ElementType::kF32, {2}), unknown}});
  EXPECT_TRUE(shapes_.has_unknown(tuple));
  EXPECT_FALSE(shapes_.has_unknown(Array(ElementType::kOpaque, {})));
  ShapeTable other;
  EXPECT_EQ(other.Text(other.Import(shapes_, tuple)), shapes_.Text(tuple));
  const std::vector<ShapeId> all = other.ImportAll(shapes_);
  EXPECT_EQ(other.Text(all[tuple.index()]), shapes_.Text(tuple));
  EXPECT_TRUE(other.has_unknown(all[tuple.index()]));
}

// The same text denotes another order in an array of another rank.
TEST_F(ShapeTest, VerbatimLayoutsBelongToARank) {
  Layout layout;
  layout.is_verbatim = true;
  layout.unknown = "row-major";
  layout.minor_to_major = {0};
  const ShapeId line = Array(ElementType::kF32, {4}, layout, true);
  layout.minor_to_major = {1, 0};
  const ShapeId matrix = Array(ElementType::kF32, {4, 4}, layout, true);
  EXPECT_EQ(shapes_.Text(line), "f32[4]{row-major}");
  EXPECT_EQ(shapes_.Text(matrix), "f32[4,4]{row-major}");
  EXPECT_EQ(shapes_.layout(line)->minor_to_major.size(), 1u);
  EXPECT_EQ(shapes_.layout(matrix)->minor_to_major.size(), 2u);
  EXPECT_EQ(shapes_.ByteSize(matrix), 64);
}

// A tile of more dimensions than the array has takes the missing ones as 1.
TEST_F(ShapeTest, TilesMayHaveMoreDimensionsThanTheArray) {
  EXPECT_EQ(shapes_.ByteSize(Tiled(ElementType::kF32, {5}, {0}, {{2, 4}})), 2 * 8 * 4);
  std::vector<int64_t> ones(100'000, 1);
  EXPECT_EQ(shapes_.ByteSize(Tiled(ElementType::kF32, {5}, {0}, {std::move(ones)})), 5 * 4);
}

TEST_F(ShapeTest, SizesThatAreNotKnownAreNotInvented) {
  const std::vector<int64_t> unbounded = {kUnboundedDimension};
  const std::vector<uint8_t> dynamic = {1};
  EXPECT_EQ(shapes_.ByteSize(shapes_.Array(ElementType::kF32, unbounded, dynamic)), std::nullopt);
  EXPECT_EQ(shapes_.ByteSize(Array(ElementType::kF32, {INT64_MAX, 2})), std::nullopt);
  EXPECT_EQ(shapes_.ByteSize(Array(ElementType::kF32, {INT64_MAX})), std::nullopt);
  EXPECT_EQ(shapes_.ElementCount(Array(ElementType::kF32, {INT64_MAX, 2})), std::nullopt);
}

TEST_F(ShapeTest, LayoutsComeAndGo) {
  const ShapeId plain = Array(ElementType::kF32, {2, 3});
  const ShapeId tuple = shapes_.Tuple({{plain, Array(ElementType::kToken, {}), plain}});
  EXPECT_EQ(shapes_.Text(shapes_.WithDefaultLayouts(tuple)),
            "(f32[2,3]{1,0}, token[], f32[2,3]{1,0})");
  EXPECT_EQ(shapes_.WithoutLayouts(shapes_.WithDefaultLayouts(tuple)), tuple);
  const ShapeId column = Tiled(ElementType::kF32, {2, 3}, {0, 1}, {});
  EXPECT_EQ(shapes_.WithDefaultLayouts(column), column);
  EXPECT_EQ(shapes_.WithoutLayouts(column), plain);
}

TEST_F(ShapeTest, ImportsFromAnotherTable) {
  ShapeTable other;
  Layout layout;
  layout.minor_to_major = {0};
  layout.physical_shape = other.Array(ElementType::kU8, std::vector<int64_t>{4});
  const ShapeId inner = other.Array(ElementType::kF32, std::vector<int64_t>{4}, {},
                                    other.InternLayout(std::move(layout)));
  const ShapeId tuple = other.Tuple({{inner, other.Buffer(inner)}});
  Array(ElementType::kS8, {9});  // so that the ids differ
  const ShapeId imported = shapes_.Import(other, tuple);
  EXPECT_EQ(shapes_.Text(imported), other.Text(tuple));
  EXPECT_EQ(shapes_.Import(other, tuple), imported);
}

TEST_F(ShapeTest, SurvivesShrinking) {
  const ShapeId before = Tiled(ElementType::kF32, {2, 3}, {1, 0}, {{8, 128}});
  shapes_.Shrink();
  EXPECT_EQ(Tiled(ElementType::kF32, {2, 3}, {1, 0}, {{8, 128}}), before);
  EXPECT_NE(Tiled(ElementType::kF32, {2, 4}, {1, 0}, {{8, 128}}), before);
}

}  // namespace
}  // namespace halo
