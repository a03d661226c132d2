// The wire format: every kind of field, and every kind of damage to a message.
#include "halo/proto/wire/wire.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

using std::string_literals::operator""s;

TEST(Wire, RoundTrip) {
  WireWriter out;
  out.Int(1, -1);
  out.IntIf(2, 0);
  out.BoolIf(3, true);
  out.Float(4, 1.5f);
  out.Double(5, -2.25);
  out.Bytes(6, "text");
  out.PackedInts(7, std::vector<int64_t>{0, 300, std::numeric_limits<int64_t>::min()});
  const size_t outer = out.Begin(8);
  const size_t inner = out.Begin(1);
  out.Bytes(2, std::string(300, 'x'));
  out.End(inner);
  out.End(outer);
  const std::string bytes = out.Take();

  WireReader r(bytes);
  int64_t number = 0;
  bool flag = false;
  float single = 0;
  double wide = 0;
  std::string_view text;
  std::vector<int64_t> list;
  ASSERT_TRUE(r.Next() && r.field() == 1 && r.Get(number));
  EXPECT_EQ(number, -1);
  ASSERT_TRUE(r.Next() && r.field() == 3 && r.Get(flag));
  EXPECT_TRUE(flag);
  ASSERT_TRUE(r.Next() && r.field() == 4 && r.GetFloat(single));
  EXPECT_EQ(single, 1.5f);
  ASSERT_TRUE(r.Next() && r.field() == 5 && r.GetDouble(wide));
  EXPECT_EQ(wide, -2.25);
  ASSERT_TRUE(r.Next() && r.field() == 6 && r.Get(text));
  EXPECT_EQ(text, "text");
  ASSERT_TRUE(r.Next() && r.field() == 7 && r.Append(list));
  EXPECT_EQ(list, (std::vector<int64_t>{0, 300, std::numeric_limits<int64_t>::min()}));
  ASSERT_TRUE(r.Next() && r.field() == 8 && r.Get(text));
  WireReader nested(text);
  ASSERT_TRUE(nested.Next() && nested.Get(text));
  WireReader deepest(text);
  ASSERT_TRUE(deepest.Next() && deepest.Get(text));
  EXPECT_EQ(text, std::string(300, 'x'));
  EXPECT_FALSE(r.Next());
  EXPECT_TRUE(r.ok());
}

TEST(Wire, UnpackedRepeatedNumbers) {
  WireWriter out;
  out.Int(1, 5);
  out.PackedInts(1, std::vector<int64_t>{6, 7});
  const std::string bytes = out.Take();
  WireReader r(bytes);
  std::vector<int64_t> list;
  while (r.Next()) EXPECT_TRUE(r.Append(list));
  EXPECT_EQ(list, (std::vector<int64_t>{5, 6, 7}));
}

TEST(Wire, OtherTypesThanAskedForLeaveTheValue) {
  WireWriter out;
  out.Bytes(1, "x");
  const std::string bytes = out.Take();
  WireReader r(bytes);
  ASSERT_TRUE(r.Next());
  int64_t number = 42;
  float single = 1;
  EXPECT_FALSE(r.Get(number));
  EXPECT_FALSE(r.GetFloat(single));
  EXPECT_EQ(number, 42);
}

TEST(Wire, GroupsAreSteppedOver) {
  // group 1 { 2: 1, group 3 { } }, then 4: 9
  const std::string bytes = "\x0b\x10\x01\x1b\x1c\x0c\x20\x09"s;
  WireReader r(bytes);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.field(), 1u);
  EXPECT_EQ(r.type(), WireType::kGroupBegin);
  int64_t number = 0;
  ASSERT_TRUE(r.Next() && r.field() == 4 && r.Get(number));
  EXPECT_EQ(number, 9);
  EXPECT_FALSE(r.Next());
  EXPECT_TRUE(r.ok());
}

WireFault FaultOf(const std::string& bytes) {
  WireReader r(bytes);
  while (r.Next()) {
  }
  return r.fault();
}

TEST(Wire, Damage) {
  EXPECT_EQ(FaultOf(""), WireFault::kNone);
  EXPECT_EQ(FaultOf("\x08"), WireFault::kCutShort);
  EXPECT_EQ(FaultOf("\x08\x80"), WireFault::kCutShort);
  EXPECT_EQ(FaultOf("\x0a\x05"
                    "abc"),
            WireFault::kCutShort);
  EXPECT_EQ(FaultOf("\x0d\x01\x02"s), WireFault::kCutShort);
  EXPECT_EQ(FaultOf("\x09\x01\x02"s), WireFault::kCutShort);
  EXPECT_EQ(FaultOf("\x00"s), WireFault::kMalformed);      // field 0
  EXPECT_EQ(FaultOf("\x0c"s), WireFault::kMalformed);      // an end marker without a group
  EXPECT_EQ(FaultOf("\x0e"s), WireFault::kMalformed);      // wire type 6
  EXPECT_EQ(FaultOf("\x0b\x14"s), WireFault::kMalformed);  // the wrong group ends
  EXPECT_EQ(FaultOf("\x08"s + std::string(11, '\xff')), WireFault::kMalformed);
  EXPECT_EQ(FaultOf("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s), WireFault::kCutShort);
  EXPECT_EQ(FaultOf(std::string(1000, '\x0b')), WireFault::kTooNested);
}

}  // namespace
}  // namespace halo
