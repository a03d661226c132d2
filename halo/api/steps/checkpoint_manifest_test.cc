// A manifest reads back as it was written, and nothing else reads as one.
#include "halo/api/steps/checkpoint_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halo {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

CheckpointManifest Sample() {
  return {.step = 12,
          .program = "a \"step\"",
          .fingerprint = 0xfedcba9876543210,
          .replicas = 2,
          .partitions = 1,
          .made_with = {{"engine", "compiled"}, {"build of halo", "0123"}},
          .files = {{100, 0xffffffff, 7}, {200, 0, 0xffffffffffffffff}}};
}

TEST(CheckpointManifest, ReadsBack) {
  const std::string text = WriteManifest(Sample());
  ASSERT_TRUE(ReadManifest(text).has_value());
  EXPECT_EQ(*ReadManifest(text), Sample());
}

TEST(CheckpointManifest, ReadsWhatIsStored) {
  // Checkpoints outlive the build that wrote them.
  constexpr std::string_view kStored =
      R"({"schema": "halo.checkpoint.v1", "step": 12, "program": "a \"step\"",
          "fingerprint": "fedcba9876543210", "replicas": 2, "partitions": 1,
          "made_with": {"engine": "compiled", "build of halo": "0123"},
          "files": [{"bytes": 100, "crc32": "ffffffff", "inputs": "7"},
                    {"bytes": 200, "crc32": "0", "inputs": "ffffffffffffffff"}],
          "checksum": "4d88c4f3"})";
  ASSERT_TRUE(ReadManifest(kStored).has_value());
  EXPECT_EQ(*ReadManifest(kStored), Sample());
}

TEST(CheckpointManifest, NoByteMayBeMissing) {
  const std::string text = WriteManifest(Sample());
  // The last line feed says nothing.
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(ReadManifest(std::string_view(text).substr(0, size)).has_value()) << size;
  }
}

TEST(CheckpointManifest, NoDigitMayDiffer) {
  const std::string text = WriteManifest(Sample());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '8') continue;
    std::string other = text;
    ++other[i];
    EXPECT_FALSE(ReadManifest(other).has_value()) << other;
  }
}

TEST(CheckpointManifest, HasOneFileForEachDevice) {
  CheckpointManifest few = Sample();
  few.files.pop_back();
  EXPECT_FALSE(ReadManifest(WriteManifest(few)).has_value());
  CheckpointManifest many = Sample();
  many.replicas = many.partitions = kMaxCheckpointDevices;
  many.files.resize(static_cast<size_t>(kMaxCheckpointDevices) + 1);
  EXPECT_FALSE(ReadManifest(WriteManifest(many)).has_value());
}

TEST(CheckpointManifest, OnlyTheSameRunContinues) {
  const CheckpointManifest then = Sample();
  CheckpointManifest now = then;
  now.step = 0;
  now.files.clear();
  EXPECT_THAT(WhyNotContinue(then, now), IsEmpty());
  now.partitions = 2;
  EXPECT_THAT(WhyNotContinue(then, now), HasSubstr("2 devices (2 replicas, 1 partitions), this run "
                                                   "has 4 devices"));
  now.fingerprint = 1;
  EXPECT_THAT(WhyNotContinue(then, now), HasSubstr("another program"));
  now.made_with[1].second = "4567";
  EXPECT_THAT(WhyNotContinue(then, now), HasSubstr("another build of halo: '0123'"));
  now.made_with.pop_back();
  EXPECT_THAT(WhyNotContinue(then, now), HasSubstr("other options"));
  now.made_with.clear();
  EXPECT_THAT(WhyNotContinue(then, now), HasSubstr("other options"));
}

}  // namespace
}  // namespace halo
