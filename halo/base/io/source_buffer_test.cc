// Opening files: bytes, padding, compression, and every kind of truncation.
#include "halo/base/io/source_buffer.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/io/gzip.h"

namespace halo {
namespace {

class SourceBufferTest : public testing::Test {
 protected:
  SourceBufferTest() : path_(testing::TempDir() + "source_buffer." + std::to_string(getpid())) {}
  ~SourceBufferTest() override { std::remove(path_.c_str()); }

  Result<SourceBuffer> OpenWith(std::string_view bytes) {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
    return SourceBuffer::Open(path_);
  }

  static bool IsPadded(const SourceBuffer& buffer) {
    const char* end = buffer.bytes().data() + buffer.bytes().size();
    return std::all_of(end, end + SourceBuffer::kPadding, [](char c) { return c == 0; });
  }

  std::string path_;
};

TEST_F(SourceBufferTest, PlainFilesOfAwkwardSizes) {
  // Sizes around one page, where the padding after a mapped file is at its limit.
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{4095}, size_t{4096}, size_t{4097}, size_t{8192}}) {
    const std::string bytes(size, 'x');
    const Result<SourceBuffer> buffer = OpenWith(bytes);
    ASSERT_TRUE(buffer);
    EXPECT_EQ(buffer->bytes(), bytes);
    EXPECT_TRUE(IsPadded(*buffer)) << size;
    EXPECT_EQ(buffer->stored_size(), size);
    EXPECT_EQ(buffer->compression(), Compression::kNone);
  }
}

TEST_F(SourceBufferTest, Copies) {
  const SourceBuffer buffer = SourceBuffer::Copy("abc", "name");
  EXPECT_EQ(buffer.bytes(), "abc");
  EXPECT_EQ(buffer.name(), "name");
  EXPECT_TRUE(IsPadded(buffer));
}

TEST_F(SourceBufferTest, WhatCannotBeOpened) {
  const Result<SourceBuffer> missing = SourceBuffer::Open(path_ + ".missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, diag::kCannotOpen);
  const Result<SourceBuffer> folder = SourceBuffer::Open(testing::TempDir());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, diag::kCannotOpen);
}

#ifdef HALO_WITH_ZLIB
std::string Text() {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "%add." + std::to_string(i) + " = f32[8]{0} add(%a, %b)\n";
  return text;
}

TEST_F(SourceBufferTest, Gzip) {
  const std::string text = Text();
  const std::string packed = *Gzip(text);
  EXPECT_LT(packed.size(), text.size() / 2);
  const Result<SourceBuffer> buffer = OpenWith(packed);
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(buffer->bytes() == text);
  EXPECT_EQ(buffer->compression(), Compression::kGzip);
  EXPECT_EQ(buffer->stored_size(), packed.size());
  EXPECT_TRUE(IsPadded(*buffer));
  // Equal input gives an equal file, and members may follow one another.
  EXPECT_TRUE(*Gzip(text) == packed);
  const Result<SourceBuffer> twice = OpenWith(packed + packed);
  ASSERT_TRUE(twice);
  EXPECT_TRUE(twice->bytes() == text + text);
  // Tapes and copy tools pad with zeros.
  const Result<SourceBuffer> padded = OpenWith(packed + std::string(512, '\0'));
  ASSERT_TRUE(padded);
  EXPECT_TRUE(padded->bytes() == text);
  const Result<SourceBuffer> nothing = OpenWith(*Gzip(""));
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->bytes(), "");
}

TEST_F(SourceBufferTest, GzipCutAnywhere) {
  const std::string packed = *Gzip(Text().substr(0, 3000));
  for (size_t size = 2; size < packed.size(); ++size) {
    const Result<SourceBuffer> cut = OpenWith(std::string_view(packed).substr(0, size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code, diag::kCorruptCompression);
  }
  std::string damaged = packed;
  damaged[packed.size() / 2] ^= 0x55;
  EXPECT_FALSE(OpenWith(damaged));
}

TEST_F(SourceBufferTest, GzipBombIsRefused) {
  const std::string packed = *Gzip(std::string(size_t{70} << 20, '\0'));
  const Result<SourceBuffer> bomb = OpenWith(packed);
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().code, diag::kDecompressedTooLarge);
}
#endif

#ifdef HALO_WITH_ZSTD
TEST_F(SourceBufferTest, ZstdCutAnywhere) {
  // "HloModule m\n" as one zstd frame with a checksum.
  const std::string_view packed(
      "\x28\xb5\x2f\xfd\x04\x58\x61\x00\x00\x48\x6c\x6f\x4d\x6f\x64\x75\x6c\x65\x20\x6d\x0a\x25\x2e"
      "\x70\xe1",
      25);
  const Result<SourceBuffer> whole = OpenWith(packed);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->bytes(), "HloModule m\n");
  EXPECT_EQ(whole->compression(), Compression::kZstd);
  for (size_t size = 4; size < packed.size(); ++size) {
    const Result<SourceBuffer> cut = OpenWith(packed.substr(0, size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code, diag::kCorruptCompression);
  }
}
#endif

}  // namespace
}  // namespace halo
