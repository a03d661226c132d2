// Archives: our own output reads back, numpy's output can be read, and damage is reported.
#include "halo/base/arrays/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/base/arrays/npz_writer.h"
#include "halo/base/io/crc32.h"

namespace halo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Npy(std::string_view dictionary, std::string_view elements, char version = 1) {
  std::string file("\x93NUMPY");
  file += version;
  file += '\0';
  const size_t width = version == 1 ? 2 : 4;
  for (size_t i = 0; i < width; ++i) file += static_cast<char>(dictionary.size() >> (8 * i) & 0xFF);
  return file + std::string(dictionary) + std::string(elements);
}

std::string Two() {
  std::string file;
  NpzWriter writer([&file](std::string_view bytes) {
    file += bytes;
    return true;
  });
  const std::vector<int64_t> matrix = {2, 3};
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6};
  writer.Add("in_0", {'u', 1, {}}, matrix, bytes);
  const std::vector<uint8_t> scalar = {0, 0, 128, 63};
  writer.Add("in_1", {'f', 4, {}}, {}, scalar);
  EXPECT_TRUE(writer.Finish());
  return file;
}

TEST(Crc32, IsThatOfZipFiles) {
  const std::string_view text = "123456789";
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  EXPECT_EQ(Crc32(bytes), 0xCBF43926u);
  EXPECT_EQ(Crc32(bytes.subspan(4), Crc32(bytes.first(4))), 0xCBF43926u);
}

TEST(Npz, WhatIsWrittenReadsBack) {
  const std::string file = Two();
  const Result<NpzReader> reader = NpzReader::Open(file);
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->size(), 2u);
  EXPECT_EQ(reader->Find("in_1"), 1u);
  EXPECT_EQ(reader->Find("in_2"), std::nullopt);
  const Result<NpyArray> first = reader->Read(0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->type, (NpyType{'u', 1, {}}));
  EXPECT_THAT(first->dims, ElementsAre(2, 3));
  EXPECT_THAT(first->bytes, ElementsAre(1, 2, 3, 4, 5, 6));
  const Result<NpyArray> second = reader->Read(1);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->dims.empty());
  EXPECT_THAT(second->bytes, ElementsAre(0, 0, 128, 63));
}

TEST(Npz, EveryDamagedByteIsNoticedOrHarmless) {
  const std::string file = Two();
  for (size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const Result<NpzReader> reader = NpzReader::Open(damaged);
    if (!reader) continue;
    for (size_t m = 0; m < reader->size(); ++m) {
      const Result<NpyArray> array = reader->Read(m);
      if (!array || reader->name(m) != "in_0") continue;
      EXPECT_THAT(array->bytes, ElementsAre(1, 2, 3, 4, 5, 6)) << "byte " << i;
    }
  }
}

TEST(Npz, CutShort) {
  const std::string file = Two();
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(NpzReader::Open(std::string_view(file).substr(0, size))) << size;
  }
}

TEST(Npy, OneArrayAloneIsAnArchive) {
  const std::string file =
      Npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 2), }\n", {"\1\0\2\0\3\0\4\0", 8});
  const Result<NpzReader> reader = NpzReader::Open(file);
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->size(), 1u);
  EXPECT_EQ(reader->name(0), "");
  const Result<NpyArray> array = reader->Read(0);
  ASSERT_TRUE(array);
  EXPECT_THAT(array->bytes, ElementsAre(1, 0, 3, 0, 2, 0, 4, 0));
}

TEST(Npy, HeadersOfEveryVersionAndType) {
  const auto type = [](std::string_view descr, char version = 1) {
    const Result<NpyHeader> header = ReadNpyHeader(
        Npy("{\"shape\": (3,), 'fortran_order': False, 'descr': " + std::string(descr) + "}", "",
            version));
    return header ? TextOf(header->type) : header.error().message;
  };
  EXPECT_EQ(type("'|b1'"), "bool");
  EXPECT_EQ(type("'<f2'", 2), "float16");
  EXPECT_EQ(type("'<c16'", 3), "complex128");
  EXPECT_EQ(type("'|V2'"), "void16");
  EXPECT_EQ(type("'bfloat16'"), "bfloat16");
  EXPECT_EQ(type("[('bfloat16', '|V2')]"), "bfloat16");
  EXPECT_EQ(type("[('', '|V1')]"), "void8");
  EXPECT_EQ(type("'float8_e4m3fn'"), "float8_e4m3fn");
  EXPECT_THAT(type("'>f4'"), HasSubstr("little-endian"));
  EXPECT_THAT(type("'<U5'"), HasSubstr("little-endian"));
  EXPECT_THAT(type("[('a', '<f4'), ('b', '<f4')]"), HasSubstr("structured"));
  EXPECT_THAT(type("'<f4'", 4), HasSubstr("version 4"));
}

TEST(Npy, SizesBeyondAllMemoryAreRefused) {
  const Result<NpyHeader> header = ReadNpyHeader(
      Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8)}", ""));
  ASSERT_FALSE(header);
  EXPECT_THAT(header.error().message, HasSubstr("64 bits"));
  const std::string empty =
      Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8, 0)}", "");
  const Result<NpzReader> reader = NpzReader::Open(empty);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->Read(0));
}

TEST(Npy, ElementsBeginAtAMultipleOf64) {
  const std::vector<int64_t> dims(250, 1);
  const std::string header = WriteNpyHeader({'f', 4, {}}, dims);
  EXPECT_EQ(header.size() % 64, 0u);
  const Result<NpyHeader> read = ReadNpyHeader(header);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->dims, dims);
  EXPECT_EQ(read->data_begin, header.size());
}

}  // namespace
}  // namespace halo
