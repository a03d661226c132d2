// Tables are written and read again; the tests of `halo scan` read them with other libraries too.
#include "halo/profile/parquet/parquet_writer.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "halo/profile/parquet/column_buffer.h"
#include "halo/profile/parquet/parquet.h"
#include "halo/profile/parquet/thrift_compact.h"

namespace halo {
namespace {

constexpr std::array<ColumnSpec, 6> kColumns = {{{"number", ColumnType::kInt, false},
                                                 {"few", ColumnType::kInt, false},
                                                 {"real", ColumnType::kReal, true},
                                                 {"flag", ColumnType::kBool, true},
                                                 {"name", ColumnType::kText, true},
                                                 {"kind", ColumnType::kText, false}}};
constexpr std::array<std::string_view, 5> kNames = {"number", "few", "real", "name", "kind"};

std::vector<ColumnBuffer> Rows(int64_t count) {
  std::vector<ColumnBuffer> columns;
  for (const ColumnSpec& each : kColumns) columns.emplace_back(each.type);
  for (int64_t i = 0; i < count; ++i) {
    columns[0].AddInt(i * i * 1'000'003 - 7);
    columns[1].AddInt(i / 20 % 5);
    i % 3 == 0 ? columns[2].AddHole() : columns[2].AddReal(static_cast<double>(i) + 0.25);
    i % 5 == 0 ? columns[3].AddHole() : columns[3].AddBool(i % 2 == 0);
    i % 7 == 0 ? columns[4].AddHole() : columns[4].AddText("name." + std::to_string(i));
    columns[5].AddText(i % 40 < 30 ? "fusion" : "op" + std::to_string(i % 3));
  }
  return columns;
}

TEST(WriteParquetTest, RowsComeBack) {
  for (const int64_t count : {0, 1, 7, 8, 9, 1000, 4097}) {
    const std::string bytes =
        WriteParquet(kColumns, Rows(count), {.group_rows = 1000, .compress = false});
    ASSERT_TRUE(LooksLikeParquet(bytes));
    const ParquetTable table = ReadParquet(bytes, kNames);
    ASSERT_EQ(table.problem, "");
    ASSERT_EQ(table.rows, static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      const auto row = static_cast<size_t>(i);
      EXPECT_EQ(table.columns[0].Number(row, 0), i * i * 1'000'003 - 7);
      EXPECT_EQ(table.columns[1].Number(row, -1), i / 20 % 5);
      EXPECT_EQ(table.columns[2].Number(row, -1), i % 3 == 0 ? 0 : i);
      EXPECT_EQ(table.columns[3].Text(row), i % 7 == 0 ? "" : "name." + std::to_string(i));
      EXPECT_EQ(table.columns[4].Text(row), i % 40 < 30 ? "fusion" : "op" + std::to_string(i % 3));
    }
  }
}

TEST(WriteParquetTest, CompressedIsSmallerAndAlwaysTheSame) {
  const std::string plain = WriteParquet(kColumns, Rows(5000), {.compress = false});
  const std::string small = WriteParquet(kColumns, Rows(5000));
  EXPECT_EQ(small, WriteParquet(kColumns, Rows(5000)));
  EXPECT_LE(small.size(), plain.size());
}

TEST(ColumnBufferTest, AppendKeepsValuesAndHoles) {
  ColumnBuffer all(ColumnType::kText);
  ColumnBuffer more(ColumnType::kText);
  all.AddText("b");
  more.AddHole();
  more.AddText("a");
  more.AddText("b");
  all.Append(more);
  ASSERT_EQ(all.rows(), 4U);
  EXPECT_EQ(all.text(all.bits(0)), "b");
  EXPECT_TRUE(all.exists(0));
  EXPECT_FALSE(all.exists(1));
  EXPECT_EQ(all.text(all.bits(2)), "a");
  EXPECT_EQ(all.bits(3), all.bits(0));
}

TEST(ColumnBufferTest, TextsAreShortAndValid) {
  ColumnBuffer texts(ColumnType::kText);
  texts.AddText(std::string(5000, 'x'));
  texts.AddText("a\xFF");
  EXPECT_EQ(texts.text(texts.bits(0)).size(), 1027U);
  EXPECT_EQ(texts.text(texts.bits(1)), "a\xEF\xBF\xBD");
}

TEST(ThriftWriterTest, ReaderUnderstandsWhatIsWritten) {
  ThriftWriter writer;
  writer.I32(1, -3);
  writer.Binary(4, "text");
  writer.BeginList(5, ThriftType::kI64, 20);
  for (int64_t i = 0; i < 20; ++i) writer.I64(0, i * 1'000'000'007);
  writer.BeginStruct(7);
  writer.Bool(2, true);
  writer.I64(3, INT64_MIN);
  writer.EndStruct();
  const std::string bytes = writer.Take();
  ThriftReader reader(bytes);
  std::vector<int64_t> numbers;
  std::string_view text;
  reader.Struct([&](int64_t field) {
    if (field == 1) return numbers.push_back(reader.Int());
    if (field == 4) return static_cast<void>(text = reader.Binary());
    if (field == 5) return reader.List([&] { numbers.push_back(reader.Int()); });
    if (field != 7) return reader.Skip();
    reader.Struct([&](int64_t inner) {
      if (inner != 3) return reader.Skip();
      numbers.push_back(reader.Int());
    });
  });
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.position(), bytes.size());
  EXPECT_EQ(text, "text");
  ASSERT_EQ(numbers.size(), 22U);
  EXPECT_EQ(numbers.front(), -3);
  EXPECT_EQ(numbers[20], 19 * int64_t{1'000'000'007});
  EXPECT_EQ(numbers.back(), INT64_MIN);
}

}  // namespace
}  // namespace halo
