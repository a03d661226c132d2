// Valid headers, and every way in which a header can contradict the file.
#include "halo/base/arrays/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halo {
namespace {

std::string File(std::string_view header, std::string_view data) {
  std::string file;
  for (size_t i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
  return file + std::string(header) + std::string(data);
}

TEST(Safetensors, ReadsArraysInPlace) {
  const std::string file = File(
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"BF16","shape":[2,1],"data_offsets":[4,8]},)"
      R"("b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
      "abcdefgh");
  const Result<SafetensorsReader> reader = SafetensorsReader::Open(file);
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(reader->size(), 2U);
  EXPECT_EQ(reader->name(0), "w");
  const Result<NpyArray> array = reader->Read(0);
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->type.name, "bfloat16");
  EXPECT_THAT(array->dims, testing::ElementsAre(2, 1));
  EXPECT_THAT(array->bytes, testing::ElementsAre('e', 'f', 'g', 'h'));
  EXPECT_THAT(reader->Read(1)->dims, testing::IsEmpty());
}

TEST(Safetensors, RefusesWhatDoesNotAddUp) {
  for (const char* header : {
           R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,12]}})",
           R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"F32","shape":[4611686018427387904,8],"data_offsets":[0,0]}})",
           R"({"w":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"F32")",
       }) {
    EXPECT_FALSE(SafetensorsReader::Open(File(header, "abcdefgh")).ok()) << header;
  }
  EXPECT_FALSE(SafetensorsReader::IsLikely("\x93NUMPY\1"));
  EXPECT_FALSE(SafetensorsReader::Open(File("{}", "").substr(0, 9)).ok());
}

}  // namespace
}  // namespace halo
