// Packing problems as CSV: columns in any order, both ways of writing ends, gaps, and errors.
#include "halo/memory/pack/pack_csv.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(PackCsv, ReadsColumnsInAnyOrder) {
  const PackCsv csv = ReadPackCsv("size,upper,note,lower,id\n8,5,x,2,a\r\n\n9,3,,0,b\n");
  ASSERT_TRUE(csv.diagnostics.ok());
  ASSERT_EQ(csv.problem.items.size(), 2);
  EXPECT_EQ(csv.ids, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(csv.problem.items[0].size, 8);
  EXPECT_EQ(csv.problem.items[0].live.start, 2);
  EXPECT_EQ(csv.problem.items[0].live.end, 4);
}

TEST(PackCsv, EndIsInclusive) {
  const PackCsv csv = ReadPackCsv("buffer_id,start,end,size,gaps\n0,2,5,8,3-3 -1-2\n");
  EXPECT_FALSE(csv.diagnostics.ok());  // the second gap is before the first
  const PackCsv good = ReadPackCsv("buffer_id,start,end,size,gaps\n0,2,5,8,3-3\n");
  ASSERT_TRUE(good.diagnostics.ok());
  EXPECT_EQ(good.problem.items[0].live.end, 5);
  EXPECT_EQ(good.problem.gaps[0].end, 3);
}

TEST(PackCsv, WritesWhatItReads) {
  const std::string text =
      "id,lower,upper,size,alignment,gaps,offset\n"
      "a,0,9,4,8,2-4 5-6,16\n"
      "b,3,4,4,1,,0\n";
  const PackCsv csv = ReadPackCsv(text);
  ASSERT_TRUE(csv.diagnostics.ok());
  EXPECT_EQ(csv.problem.items[0].fixed_offset, 16);
  EXPECT_EQ(WritePackCsv(csv, std::vector<int64_t>{16, 0}), text);
}

TEST(PackCsv, ErrorsHaveLocations) {
  const PackCsv csv =
      ReadPackCsv("id,lower,upper,size\n0,0,1\n1,0,x,2\n2,0,9223372036854775808,2\n");
  ASSERT_EQ(csv.diagnostics.errors(), 3);
  EXPECT_EQ(csv.diagnostics.all()[0].location.line, 2);
  EXPECT_EQ(csv.diagnostics.all()[1].location.line, 3);
  EXPECT_EQ(csv.diagnostics.all()[1].location.column, 5);
  EXPECT_EQ(csv.diagnostics.all()[2].location.column, 5);
}

TEST(PackCsv, HeadersThatDoNotDo) {
  for (const char* text :
       {"", "\n", "id,lower,upper\n", "id,lower,upper,size,start\n", "1,2,3,4\n"}) {
    EXPECT_EQ(ReadPackCsv(text).diagnostics.errors(), 1) << text;
  }
}

TEST(PackCsv, FaultsNameTheirRow) {
  const PackCsv csv = ReadPackCsv("id,lower,upper,size\na,0,1,1\nb,4,4,1\n");
  ASSERT_EQ(csv.diagnostics.errors(), 1);
  EXPECT_EQ(csv.diagnostics.all()[0].location.line, 3);
  EXPECT_EQ(csv.diagnostics.all()[0].message, "buffer 'b': it ends before it starts");
}

}  // namespace
}  // namespace halo
