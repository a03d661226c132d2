// Tests the packets of a trace: texts once, slices in pairs, counters.
#include "halo/proto/trace/perfetto_writer.h"

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

// Every field with this path below `message`.
void Collect(std::string_view message, std::span<const uint32_t> path,
             std::vector<std::string>& out) {
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.field() != path.front()) continue;
    std::string_view bytes;
    int64_t number = 0;
    if (path.size() > 1) {
      if (reader.Get(bytes)) Collect(bytes, path.subspan(1), out);
    } else if (reader.Get(bytes)) {
      out.emplace_back(bytes);
    } else if (reader.Get(number)) {
      out.push_back(std::to_string(number));
    }
  }
  EXPECT_TRUE(reader.ok());
}

std::vector<std::string> Fields(const std::string& trace, std::vector<uint32_t> path) {
  std::vector<std::string> out;
  Collect(trace, path, out);
  return out;
}

TEST(PerfettoWriter, WritesTextsOnce) {
  PerfettoWriter writer;
  writer.AddTrack(1, "program", 0);
  writer.AddTrack(2, "kernels", 1);
  writer.AddCounter(3, "memory", 1);
  const std::pair<std::string_view, std::string_view> annotations[] = {{"source", "a.py:1"}};
  writer.Begin(2, 10, {.name = "dot", .category = "kernel", .annotations = annotations});
  writer.End(2, 30);
  writer.Begin(2, 30, {.name = "dot", .category = "kernel", .annotations = annotations});
  writer.Count(3, 35, 4096);
  writer.End(2, 50);
  const std::string trace = writer.Take();
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Fields(trace, {1, 60, 2}), (Texts{"program", "kernels", "memory"}));
  EXPECT_EQ(Fields(trace, {1, 60, 5}), (Texts{"1", "1"}));
  EXPECT_EQ(Fields(trace, {1, 12, 2, 2}), (Texts{"dot"}));
  EXPECT_EQ(Fields(trace, {1, 12, 29, 2}), (Texts{"a.py:1"}));
  EXPECT_EQ(Fields(trace, {1, 8}), (Texts{"10", "30", "30", "35", "50"}));
  EXPECT_EQ(Fields(trace, {1, 11, 9}), (Texts{"1", "2", "1", "4", "2"}));
  EXPECT_EQ(Fields(trace, {1, 11, 10}), (Texts{"1", "1"}));
  EXPECT_EQ(Fields(trace, {1, 11, 30}), (Texts{"4096"}));
  // Only the first packet begins with nothing known.
  EXPECT_EQ(Fields(trace, {1, 13}), (Texts{"3", "2", "2", "2", "2", "2", "2", "2"}));
}

}  // namespace
}  // namespace halo
