// The independent parts of the proto reader and writer: orders, layouts, sorted JSON, enum words,
// shardings and groups, the buffer assignment.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/ir/types/shape.h"
#include "halo/proto/parts/groups_proto.h"
#include "halo/proto/parts/kept_sharding.h"
#include "halo/proto/parts/sharding_proto.h"
#include "halo/proto/parts/unknown_array.h"
#include "halo/proto/read/buffer_assignment_proto.h"
#include "halo/proto/wire/computation_order.h"
#include "halo/proto/wire/element_order.h"
#include "halo/proto/wire/enum_names.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/json_sort.h"
#include "halo/proto/wire/literal_fields.h"
#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {
namespace {

TEST(ComputationOrder, CalleesFirstInTheirCallersOrder) {
  // 0 calls 2 then 1; 1 calls 3; 4 is never called and calls 1.
  const std::vector<CallSites> calls = {{{2}, {1}}, {{3}}, {}, {}, {{1}}};
  const std::vector<uint32_t> roots = {0, 1, 2, 3, 4};
  EXPECT_EQ(ComputationPrintOrder(calls, roots), (std::vector<uint32_t>{2, 3, 1, 0, 4}));
}

TEST(ComputationOrder, SeveralCalledAtOnce) {
  const std::vector<CallSites> calls = {{{1, 2}}, {}, {{1}}};
  EXPECT_EQ(ComputationPrintOrder(calls, std::vector<uint32_t>{0, 1, 2}),
            (std::vector<uint32_t>{1, 2, 0}));
}

TEST(ComputationOrder, CirclesEnd) {
  const std::vector<CallSites> calls = {{{1}}, {{0}}, {{2}}};
  EXPECT_EQ(ComputationPrintOrder(calls, std::vector<uint32_t>{0, 1, 2}).size(), 3u);
}

TEST(LayoutOrder, ThereAndBack) {
  const std::vector<int64_t> dims = {2, 3};
  const std::vector<int64_t> column_major = {0, 1};
  const std::vector<uint8_t> rows = {0, 1, 2, 10, 11, 12};
  const auto columns = FromRowMajor(rows, 1, dims, column_major);
  EXPECT_EQ(columns, (std::vector<uint8_t>{0, 10, 1, 11, 2, 12}));
  EXPECT_EQ(ToRowMajor(columns, 1, dims, column_major), rows);
  EXPECT_TRUE(IsRowMajor(std::vector<int64_t>{2, 1, 0}));
  EXPECT_FALSE(IsRowMajor(column_major));
}

TEST(JsonSort, SortsObjectsOnly) {
  EXPECT_EQ(SortedJson(R"({"b": [3, 1], "a":{"d":"x,\"}","c":true}, "aa":null})"),
            R"({"a":{"c":true,"d":"x,\"}"},"aa":null,"b":[3,1]})");
  EXPECT_EQ(SortedJson("{}"), "{}");
  for (const char* text : {"", "{", "{\"a\"}", "{\"a\":}", "{} x", "[\"a", "{a:1}}"}) {
    EXPECT_FALSE(SortedJson(text)) << text;
  }
  EXPECT_FALSE(SortedJson(std::string(100000, '[')));
}

TEST(EnumNames, UnknownNumbersSurvive) {
  EXPECT_EQ(EnumWord(FftTypeNames(), 2), "RFFT");
  EXPECT_EQ(EnumNumber(FftTypeNames(), "RFFT"), 2);
  EXPECT_EQ(EnumWord(FftTypeNames(), 77), "77");
  EXPECT_EQ(EnumNumber(FftTypeNames(), "77"), 77);
  EXPECT_EQ(EnumWord(FftTypeNames(), -1), "-1");
  EXPECT_FALSE(EnumNumber(FftTypeNames(), "no"));
}

TEST(LiteralFields, EveryArrayTypeHasOne) {
  for (size_t i = 0; i < ElementTypeCount(); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(LiteralFieldOf(type).coding != LiteralCoding::kNone, IsArrayType(type))
        << TextOf(type);
  }
}

TEST(ShardingProto, RoundTrip) {
  for (const char* text :
       {"{replicated}",
        "{manual}",
        "{unknown}",
        "{unreduced}",
        "{maximal device=3}",
        "{devices=[2,2]0,2,1,3}",
        "{devices=[2,2]<=[4]}",
        "{devices=[2,2]<=[2,2]T(1,0)}",
        "{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
        "{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}",
        "{devices=[2,1,2]<=[4] last_tile_dims={unreduced}}",
        "{replicated shard_as 3}",
        "{devices=[2,1]<=[2] shard_like 4 metadata={op_name=\"a\" source_line=3}}",
        "{replicated metadata={{op_name=\"a\"}, {profile_type={1,2} scheduling_name=\"\\\"\"}}}",
        "{mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)), [{'a'}, {'b':(2)2}], replicated={'b':(1)2}}",
        "{mesh['a'=2,'b'=2], device_ids=(3,2,1,0), [{'b'}, {}], unreduced=max{'a'}}",
        "{mesh['a'=2,'b'=4], [{}, {}], manual={'a'}, metadata={{op_name=\"x\"}}}",
        "{mesh['a'=2,'b'=4], replicated}",
        "{mesh['a'=2,'b'=4], manual}",
        "{mesh['a'=2,'b'=4], unreduced}",
        "{single_device[device_id=3]}",
        "{mesh[], [{}]}",
        "{{replicated}, {devices=[2]<=[2]}, {mesh['a'=2], [{'a'}]}}"}) {
    const auto sharding = ParseSharding(text);
    ASSERT_TRUE(sharding) << text;
    WireWriter out;
    WriteOpSharding(*sharding, out);
    const auto back = ReadOpSharding(out.view());
    ASSERT_TRUE(back) << text;
    TextBuffer printed;
    PrintSharding(*back, printed);
    EXPECT_EQ(printed.view(), text);
  }
}

TEST(ShardingProto, Refusals) {
  WireWriter unknown_type;
  unknown_type.Int(pb::OpSharding::k_type, 99);
  EXPECT_FALSE(ReadOpSharding(unknown_type.view()));
  WireWriter no_tiles;
  no_tiles.Int(pb::OpSharding::k_type, 3);
  EXPECT_FALSE(ReadOpSharding(no_tiles.view()));
  EXPECT_FALSE(ReadOpSharding("\x08"));
}

TEST(KeptSharding, FieldsAndValuesOfALaterXla) {
  const auto sharding = ParseSharding("{{mesh['a'=2], [{'a'}]}, {replicated}}");
  WireWriter known;
  WriteOpSharding(*sharding, known);
  EXPECT_FALSE(HasUnknownParts(known.view()));
  WireWriter field;
  field.Int(pb::OpSharding::k_type, 1);
  field.Int(77, 1);
  EXPECT_TRUE(HasUnknownParts(field.view()));
  WireWriter value;
  value.Int(pb::OpSharding::k_type, 99);
  EXPECT_TRUE(HasUnknownParts(value.view()));
  WireWriter inner;
  const size_t named = inner.Begin(pb::OpSharding::k_named_sharding);
  const size_t mesh = inner.Begin(pb::NamedShardingProto::k_mesh);
  inner.Int(9, 1);
  inner.End(mesh);
  inner.End(named);
  EXPECT_TRUE(HasUnknownParts(inner.view()));
  const std::string text = KeptShardingText(inner.view());
  EXPECT_TRUE(text.starts_with("{proto=\"")) << text;
  EXPECT_EQ(KeptShardingBytes(text), inner.view());
  EXPECT_FALSE(KeptShardingBytes("{replicated}"));
  EXPECT_FALSE(KeptShardingBytes("{proto=\"}"));
}

TEST(UnknownArray, RoundTrip) {
  const std::vector<int64_t> dims = {4, 8, kUnboundedDimension};
  const std::string text = UnknownArrayText(99, dims, std::vector<uint8_t>{0, 1, 1});
  EXPECT_EQ(text, "type99[4,<=8,?]");
  const auto array = ParseUnknownArray(text);
  ASSERT_TRUE(array);
  EXPECT_EQ(array->type_number, 99);
  EXPECT_EQ(array->dims, dims);
  EXPECT_EQ(array->dynamic, (std::vector<int64_t>{0, 1, 1}));
  EXPECT_FALSE(ParseUnknownArray("f9e3[4]"));
  EXPECT_FALSE(ParseUnknownArray("type99[4"));
  EXPECT_FALSE(ParseUnknownArray("type-1[4]"));
}

TEST(GroupsProto, IotaFormsAreChecked) {
  WireWriter out;
  out.Int(pb::IotaReplicaGroupListProto::k_num_replica_groups, 2);
  out.Int(pb::IotaReplicaGroupListProto::k_num_devices_per_group, 4);
  out.PackedInts(pb::IotaReplicaGroupListProto::k_iota_reshape_dims, std::vector<int64_t>{8});
  EXPECT_FALSE(ReadIotaGroups(out.view()));  // not a permutation
  out.PackedInts(pb::IotaReplicaGroupListProto::k_iota_transpose_perm, std::vector<int64_t>{0});
  const auto groups = ReadIotaGroups(out.view());
  ASSERT_TRUE(groups);
  TextBuffer printed;
  PrintReplicaGroups(*groups, printed);
  EXPECT_EQ(printed.view(), "[2,4]<=[8]");
}

TEST(BufferAssignmentProto, RoundTrip) {
  BufferAssignmentData data;
  data.logical_buffers.push_back({1, 64, 2, BufferLocation{"comp", "inst", 7, {0, 1}}});
  data.logical_buffers.push_back({2, 0, 0, std::nullopt});
  data.buffer_aliases.push_back({1, BufferLocation{"", "", 9, {}}});
  BufferAllocation allocation;
  allocation.index = 3;
  allocation.size = int64_t{5} << 32;
  allocation.is_entry_computation_parameter = true;
  allocation.parameter_shape_index = {1};
  allocation.assigned.push_back({1, 128, 64, 11});
  data.allocations.push_back(allocation);
  HeapTrace trace;
  trace.whole_module_simulation = true;
  trace.events.push_back({2, 1, "comp", "inst", 5});
  data.heap_traces.push_back(trace);
  data.peak_buffers.push_back({3, {1, 2}});
  const std::string bytes = WriteBufferAssignmentProto(data);
  Diagnostics diagnostics;
  EXPECT_EQ(ReadBufferAssignmentProto(bytes, diagnostics), data);
  EXPECT_TRUE(diagnostics.empty());
}

TEST(BufferAssignmentProto, DamageIsReported) {
  Diagnostics diagnostics;
  ReadBufferAssignmentProto("\x0a\x7f", diagnostics);
  ASSERT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(diagnostics.all()[0].code, diag::kProtoCutShort);
}

}  // namespace
}  // namespace halo
