// Traces in JSON and tables; tests/cli/time/time_profile.test reads an XSpace.
#include "halo/profile/read_profile.h"

#include <gmock/gmock.h>

#include "halo/base/io/source_buffer.h"
#include "halo/profile/test/check_profile.h"
#include "halo/profile/xplane.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Profile Read(std::string_view bytes) {
  Profile profile = ReadProfile(bytes, "p");
  CheckProfile(profile);
  return profile;
}

TEST(ReadProfileTest, TpuOpsBelongToTheRunAroundThem) {
  const Profile profile = Read(R"json({"traceEvents":[
    {"ph":"X","pid":3,"tid":3,"ts":10,"dur":2,"name":"fusion.1","args":{"hlo_category":"fusion"}},
    {"ph":"X","pid":3,"tid":3,"ts":90,"dur":2,"name":"fusion.2","args":{"hlo_category":"fusion"}},
    {"ph":"X","pid":3,"tid":4,"ts":10,"dur":2,"name":"jit(f)/tanh"},
    {"ph":"X","pid":3,"tid":2,"ts":5,"dur":20.5,"name":"jit_f(18446744073709551615)"},
    {"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},
    {"ph":"M","pid":3,"tid":2,"name":"thread_name","args":{"name":"XLA Modules"}},
    {"ph":"M","pid":3,"tid":4,"name":"thread_name","args":{"name":"Framework Ops"}},
    {"ph":"M","pid":3,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}}]})json");
  EXPECT_TRUE(profile.diagnostics.empty());
  EXPECT_THAT(profile.ops, ElementsAre("fusion.1", "fusion.2"));
  ASSERT_THAT(profile.events, SizeIs(2));
  ASSERT_THAT(profile.programs, SizeIs(1));
  EXPECT_EQ(profile.programs[0].name, "jit_f");
  EXPECT_EQ(profile.programs[0].id, UINT64_MAX);
  EXPECT_EQ(profile.events[0].program, 0U);
  EXPECT_EQ(profile.events[0].duration, 2'000'000);
  EXPECT_EQ(profile.events[1].program, kNoIndex);
  EXPECT_EQ(profile.runs[0].duration, 20'500'000);
}

TEST(ReadProfileTest, EventsOfTheHostCountWithoutDevicesOnly) {
  const std::string host =
      R"({"ph":"X","pid":1,"ts":1,"dur":1,"name":"x","args":{"hlo_op":"add.1","hlo_module":"jit_f"}})";
  EXPECT_THAT(Read("[" + host + "]").events, SizeIs(1));
  const Profile both =
      Read("[" + host +
           R"(,{"ph":"M","pid":2,"name":"process_name","args":{"name":"/device:GPU:0"}},
          {"ph":"M","pid":2,"tid":1,"name":"thread_name","args":{"name":"Stream #1"}},
          {"ph":"X","pid":2,"tid":1,"ts":3,"dur":1,"name":"k","args":{"hlo_op":"add.1"}}])");
  EXPECT_THAT(both.events, SizeIs(1));
  EXPECT_EQ(both.launches, 1U);
  EXPECT_EQ(both.events[0].start, 3'000'000);
}

TEST(ReadProfileTest, DamageKeepsWhatCameBefore) {
  const Profile profile =
      Read(R"([{"ph":"X","ts":1,"dur":1,"args":{"hlo_op":"a"}},{"ph":"X",},{"ph":"X","ts)");
  EXPECT_THAT(profile.events, SizeIs(1));
  EXPECT_EQ(profile.diagnostics.warnings(), 1U);
}

TEST(ReadProfileTest, QuotedCellsAndHolesOfTables) {
  const Profile profile = Read(
      "Name,Projected Start,Projected Duration,RangeId,RangeStack\r\n"
      "\"TSL:Thunk:#name=\"\"a,b\"\",hlo_op=dot.1#\",10,5,3.0,:1:2:3\r\n"
      "TSL:Thunk:#x=1#,10,5,4,:1:2:4\r\n"
      "\"TSL:XlaModule:#hlo_module=jit_f,program_id=4#\",8,20,2.0,:1:2\r\n"
      "\"TSL:Thunk:#hlo_op=dot.2#\",,,,\r\n");
  ASSERT_THAT(profile.events, SizeIs(2));
  EXPECT_EQ(profile.ops[0], "dot.1");
  EXPECT_EQ(profile.events[0].run, 0U);
  EXPECT_EQ(profile.programs[0].id, 4U);
  EXPECT_EQ(profile.events[1].program, kNoIndex);
  EXPECT_EQ(profile.unnamed, 1U);
}

TEST(ReadProfileTest, StepsOfATableAreRuns) {
  const Profile profile = Read(
      "device,step,hlo_op,start_ns,duration_ns\n"
      "0,0,a,0,5\n0,0,b,6,4\n0,1,a,100,5\n1,0,a,0,7\n");
  ASSERT_THAT(profile.runs, SizeIs(3));
  EXPECT_EQ(profile.runs[0].duration, 10'000);
  EXPECT_EQ(profile.events[3].run, 2U);
}

TEST(ReadProfileTest, TimesBeyondAnyLimitAreBounded) {
  Read(R"([{"ph":"X","ts":1e300,"dur":1e300,"args":{"hlo_op":"a"}}])");
  Read("hlo_op,duration_ns,start_ns\na,1e300,-1e300\na,nan,inf\n");
}

// Whatever byte is wrong, and wherever the file ends, reading ends with a consistent profile.
TEST(ReadProfileTest, DamagedDatabasesGiveWhatIsWhole) {
  const Result<SourceBuffer> source = SourceBuffer::Open(
      std::string(HALO_SOURCE_DIR) + "/tests/fuzz/profile_nsight_database_fuzz/nsight_sqlite");
  ASSERT_TRUE(source);
  const std::string whole(source->bytes());
  const Profile profile = Read(whole);
  EXPECT_EQ(profile.kind, ProfileKind::kNsightDatabase);
  EXPECT_THAT(profile.events, SizeIs(38));
  EXPECT_THAT(profile.runs, SizeIs(8));
  EXPECT_THAT(profile.devices, SizeIs(2));
  EXPECT_TRUE(profile.diagnostics.empty());
  size_t damaged = 0;
  for (size_t i = 0; i < whole.size(); i += 29) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(~bytes[i]);
    damaged += Read(bytes).diagnostics.empty() ? 0 : 1;
    Read(std::string_view(whole).substr(0, i));
  }
  EXPECT_GT(damaged, 10U);
}

TEST(ReadProfileTest, SaysHowToConvertWhatIsNotRead) {
  for (const std::string_view bytes :
       {std::string_view("SQLite format 3\0", 16),
        std::string_view("\xFD"
                         "7zXZ"),
        std::string_view("PAR1PAR1PAR1"), std::string_view(), std::string_view("hello")}) {
    const Profile profile = Read(bytes);
    EXPECT_EQ(profile.diagnostics.errors(), 1U);
    EXPECT_THAT(profile.events, SizeIs(0));
  }
}

TEST(ReadProfileTest, XSpaceReferencesWithoutTargetsAreIgnored) {
  WireWriter space;
  const size_t plane = space.Begin(1);
  space.Bytes(2, "/device:GPU:0");
  const size_t line = space.Begin(3);
  space.Bytes(2, "Stream #1");
  const size_t event = space.Begin(4);
  space.Int(1, 99);
  space.Int(2, INT64_MAX);
  space.Int(3, INT64_MIN);
  space.Bytes(4, "\x08\x63\x38\x63");  // a stat that the tables do not have
  space.End(event);
  space.End(line);
  space.End(plane);
  EXPECT_TRUE(LooksLikeXSpace(space.view()));
  const Profile profile = Read(space.view());
  EXPECT_EQ(profile.unnamed, 1U);
  EXPECT_TRUE(profile.diagnostics.empty());
  EXPECT_EQ(Read(space.view().substr(0, space.size() - 3)).diagnostics.warnings(), 1U);
}

TEST(ReadProfileTest, XSpaceEntriesMayNameAnOpAndAProgram) {
  WireWriter space;
  const size_t plane = space.Begin(1);
  space.Bytes(2, "/device:TPU:0");
  const auto line = [&](std::string_view name, int64_t entries) {
    const size_t begin = space.Begin(3);
    space.Bytes(2, name);
    for (int64_t key = 1; key <= entries; ++key) {
      const size_t event = space.Begin(4);
      space.Int(1, key);
      space.Int(3, 5);
      space.End(event);
    }
    space.End(begin);
  };
  line("XLA Modules", 3);
  line("XLA Ops", 1);
  for (int64_t key = 1; key <= 3; ++key) {
    const size_t entry = space.Begin(4);
    space.Int(1, key);
    const size_t metadata = space.Begin(2);
    space.Bytes(2, key == 1 ? "copy" : key == 2 ? "jit_f(2)" : "jit_f(3)");
    const size_t stat = space.Begin(5);
    space.Int(1, 1);
    space.Bytes(5, "data formatting");
    space.End(stat);
    space.End(metadata);
    space.End(entry);
  }
  space.Bytes(5, "\x08\x01\x12\x0e\x12\x0chlo_category");
  space.End(plane);
  const Profile profile = Read(space.view());
  EXPECT_THAT(profile.ops, ElementsAre("copy"));
  EXPECT_THAT(profile.runs, SizeIs(3));
  ASSERT_THAT(profile.events, SizeIs(1));
  EXPECT_EQ(profile.ops[profile.events[0].op], "copy");
  EXPECT_THAT(profile.programs, SizeIs(3));
}

}  // namespace
}  // namespace halo
