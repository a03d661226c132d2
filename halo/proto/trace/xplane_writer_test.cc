// Tests that a timeline written as an XSpace has its lines, its events with their times, and names.
#include "halo/proto/trace/xplane_writer.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

// The messages of this field, in order.
std::vector<std::string_view> Messages(std::string_view message, uint32_t field) {
  std::vector<std::string_view> out;
  WireReader reader(message);
  std::string_view bytes;
  while (reader.Next()) {
    if (reader.field() == field && reader.Get(bytes)) out.push_back(bytes);
  }
  EXPECT_TRUE(reader.ok());
  return out;
}

int64_t NumberOf(std::string_view message, uint32_t field) {
  WireReader reader(message);
  int64_t number = -1;
  while (reader.Next()) {
    if (reader.field() == field) reader.Get(number);
  }
  return number;
}

std::string Written(bool is_tpu) {
  XPlaneWriter::Options options;
  options.is_tpu = is_tpu;
  options.module_name = "jit_step";
  options.program_id = 7;
  options.proto = "proto";
  XPlaneWriter writer(std::move(options));
  writer.AddTrack(1, "program", 0);
  writer.AddTrack(2, "kernels", 1);
  TraceSlice loop;
  loop.name = "while";
  TraceSlice dot;
  dot.name = "dot";
  dot.kind = "product";
  dot.flops = 8;
  writer.Begin(2, 0, loop);
  for (const int64_t begin : {10, 30}) {
    writer.Begin(2, begin, dot);
    writer.End(2, begin + 15);
  }
  writer.End(2, 50);
  writer.End(2, 60);  // none is open
  return writer.Take();
}

TEST(XPlaneWriter, WritesLinesOfATpu) {
  const std::string space = Written(/*is_tpu=*/true);
  const std::vector<std::string_view> planes = Messages(space, 1);
  ASSERT_EQ(planes.size(), 2U);
  EXPECT_EQ(Messages(planes[0], 2)[0], "/device:TPU:0");
  EXPECT_EQ(Messages(planes[1], 2)[0], "/host:metadata");
  const std::vector<std::string_view> lines = Messages(planes[0], 3);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(Messages(lines[1], 2)[0], "XLA Modules");
  EXPECT_EQ(Messages(lines[2], 2)[0], "XLA Ops");
  const std::vector<std::string_view> events = Messages(lines[2], 4);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(NumberOf(events[0], 2), 10);
  EXPECT_EQ(NumberOf(events[1], 2), 30);
  EXPECT_EQ(NumberOf(events[1], 3), 15);
  EXPECT_EQ(NumberOf(events[0], 1), NumberOf(events[1], 1));
  EXPECT_EQ(NumberOf(events[2], 3), 50);
}

TEST(XPlaneWriter, NamesTheOpOfEachEventOfAGpu) {
  const std::string space = Written(/*is_tpu=*/false);
  const std::vector<std::string_view> planes = Messages(space, 1);
  const std::vector<std::string_view> lines = Messages(planes[0], 3);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(Messages(lines[0], 2)[0], "Stream #1(kernels)");
  const std::vector<std::string_view> events = Messages(lines[0], 4);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(Messages(events[0], 4).size(), 4U);
  EXPECT_TRUE(Messages(events[2], 4).empty());  // a loop is no kernel
}

}  // namespace
}  // namespace halo
