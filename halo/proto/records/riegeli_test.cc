// Reads files that the test writes: plain and compressed, across blocks, and damaged in every way
// that the reader distinguishes. No damage may yield records.
#include "halo/proto/records/riegeli.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/proto/records/highway_hash.h"
#include "halo/proto/records/snappy.h"
#include "halo/proto/records/test/write_records.h"

namespace halo {
namespace {

struct ReadBack {
  std::vector<std::string> records;
  std::string problem;
};

ReadBack RecordsOf(std::string_view bytes) {
  ReadBack read;
  RecordReader reader(bytes);
  std::string_view record;
  while (reader.Next(record)) read.records.emplace_back(record);
  read.problem = reader.problem();
  return read;
}

// Published results for the bytes 0, 1, 2, ... and the key 0, 1, ..., 31.
TEST(HighwayHash, AgreesWithPublishedResults) {
  const HighwayKey key = {0x0706050403020100, 0x0F0E0D0C0B0A0908, 0x1716151413121110,
                          0x1F1E1D1C1B1A1918};
  std::string bytes;
  for (int i = 0; i < 64; ++i) bytes += static_cast<char>(i);
  const auto hash = [&](size_t size) {
    return HighwayHash(key, std::string_view(bytes).substr(0, size));
  };
  EXPECT_EQ(hash(0), 0x907A56DE22C26E53u);
  EXPECT_EQ(hash(1), 0x7EAB43AAC7CDDD78u);
  EXPECT_EQ(hash(2), 0xB8D0569AB0B53D62u);
  EXPECT_EQ(hash(3), 0x5C6BEFAB8A463D80u);
  EXPECT_EQ(hash(4), 0xF205A46893007EDAu);
  EXPECT_EQ(hash(5), 0x2B8A1668E4A94541u);
  EXPECT_EQ(hash(6), 0xBD4CCC325BEFCA6Fu);
  EXPECT_EQ(hash(7), 0x4D02AE1738F59482u);
}

TEST(RecordReader, ReadsPlainAndSnappyChunks) {
  const std::vector<std::string> records = {"first", "", std::string(1000, 'x'), "last"};
  for (const bool snappy : {false, true}) {
    RecordFile file;
    file.AddChunk('p', "padding", 0, 0);
    file.AddChunk('m', "metadata", 0, 0);
    file.AddRecords(records, snappy);
    file.AddRecords({"another chunk"}, snappy);
    EXPECT_TRUE(LooksLikeRiegeli(file.bytes()));
    const ReadBack read = RecordsOf(file.bytes());
    std::vector<std::string> expected = records;
    expected.emplace_back("another chunk");
    EXPECT_EQ(read.records, expected);
    EXPECT_EQ(read.problem, "");
  }
}

TEST(RecordReader, ReadsAcrossBlocks) {
  std::vector<std::string> records;
  RecordFile file;
  for (size_t i = 0; i < 40; ++i) {
    records.emplace_back(i * 997, static_cast<char>('a' + i % 26));
    file.AddRecords({records.back()}, i % 2 == 0);
  }
  ASSERT_GT(file.bytes().size(), size_t{5} << 16);
  const ReadBack read = RecordsOf(file.bytes());
  EXPECT_EQ(read.records, records);
  EXPECT_EQ(read.problem, "");
}

// A chunk is padded to at least as many bytes as it has records.
TEST(RecordReader, SkipsThePaddingOfManyEmptyRecords) {
  RecordFile file;
  file.AddRecords(std::vector<std::string>(3000), false);
  file.AddRecords({"after"}, false);
  const ReadBack read = RecordsOf(file.bytes());
  ASSERT_EQ(read.records.size(), 3001u) << read.problem;
  EXPECT_EQ(read.records.back(), "after");
}

TEST(RecordReader, EveryChangedByteIsNoticed) {
  RecordFile file;
  file.AddRecords({"some", "records"}, true);
  // The header of a block is there for seeking, which this reader does not do.
  for (size_t i = 24; i < file.bytes().size(); ++i) {
    std::string damaged = file.bytes();
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    const ReadBack read = RecordsOf(damaged);
    EXPECT_NE(read.problem, "") << i;
    EXPECT_TRUE(read.records.empty()) << i;
  }
}

TEST(RecordReader, EveryTruncationIsNoticed) {
  RecordFile file;
  const size_t whole_chunks = file.bytes().size();
  file.AddRecords({"some", "records"}, true);
  for (size_t i = whole_chunks + 1; i < file.bytes().size(); ++i) {
    EXPECT_EQ(RecordsOf(std::string_view(file.bytes()).substr(0, i)).problem, "it is truncated")
        << i;
  }
}

std::string ProblemOf(char type, std::string_view data, uint64_t records, uint64_t decoded) {
  RecordFile file;
  file.AddChunk(type, data, records, decoded);
  const ReadBack read = RecordsOf(file.bytes());
  EXPECT_TRUE(read.records.empty());
  return read.problem;
}

TEST(RecordReader, SaysWhatItDoesNotRead) {
  EXPECT_EQ(ProblemOf('t', "x", 1, 1), "it has transposed chunks, which halo does not read");
  EXPECT_EQ(ProblemOf('q', "x", 1, 1), "it has a chunk of an unknown kind");
  EXPECT_EQ(ProblemOf('r', std::string_view("b\x01z", 3), 1, 1),
            "it is compressed by Brotli, and halo reads records that are compressed by Snappy or "
            "not at all");
  EXPECT_EQ(ProblemOf('r', std::string_view("z\x01z", 3), 1, 1),
            "it is compressed by Zstandard, and halo reads records that are compressed by Snappy "
            "or not at all");
}

// Right hashes do not make the contents right.
TEST(RecordReader, RefusesWrongSizes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(ProblemOf('r', "", 1, 1), "a chunk is empty");
  EXPECT_EQ(ProblemOf('r', "\0\x7f\1a"sv, 1, 1), "the sizes of its records are damaged");
  EXPECT_EQ(ProblemOf('r', "\0\1\2a"sv, 1, 1), "the sizes of its records are damaged");
  EXPECT_EQ(ProblemOf('r', "\0\1\1ab"sv, 1, 2), "the sizes of its records are damaged");
  EXPECT_EQ(ProblemOf('r', "\0\1\1a"sv, 1, 9), "the sizes of its records are damaged");
  EXPECT_EQ(ProblemOf('r', "\0\2\1\1a"sv, 1, 1), "the sizes of its records are damaged");
  EXPECT_EQ(ProblemOf('r', "\0\1\1a"sv, 2, 1), "it has fewer records than it claims");
  // Claims of very much: many records, a large chunk, and a block that unpacks to very much.
  EXPECT_EQ(ProblemOf('r', "\0\1\1a"sv, (uint64_t{1} << 56) - 1, 1),
            "it has fewer records than it claims");
  EXPECT_EQ(ProblemOf('r', "s\6\xff\xff\xff\xff\xff\1"sv, 1, 1), "the size of a chunk is wrong");
  RecordFile file;
  std::string large = file.bytes();
  file.AddRecords({"x"}, false);
  std::string cut = file.bytes();
  cut.resize(large.size() + 40);
  EXPECT_EQ(RecordsOf(cut).problem, "it is truncated");
}

TEST(Snappy, RefusesWhatIsNotThere) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Unsnap("\3\x08xyz"sv, 3), "xyz");
  EXPECT_EQ(Unsnap("\6\x08xyz\x09\3"sv.substr(0, 6), 6), std::nullopt);
  EXPECT_EQ(Unsnap("\4\x08xyz"sv, 4), std::nullopt);
  EXPECT_EQ(Unsnap("\3\x08xyz"sv, 2), std::nullopt);
}

}  // namespace
}  // namespace halo
