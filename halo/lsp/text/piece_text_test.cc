// Tests pieces, edits and positions.
#include "halo/lsp/text/piece_text.h"

#include <gtest/gtest.h>

namespace halo::lsp {
namespace {

constexpr std::string_view kText =
    "HloModule m\n\n%a (p: f32[]) -> f32[] {\n  ROOT %p = f32[] parameter(0)\n}\n\nENTRY main {\n  "
    "x\n}\n";

TEST(LspPieceTest, PiecesBeginWhereComputationsDo) {
  const PieceText text{std::string(kText)};
  ASSERT_EQ(text.size(), 3U);
  EXPECT_EQ(text[0].kind, PieceKind::kHeader);
  EXPECT_EQ(text[0].name, "m");
  EXPECT_EQ(text[1].name, "a");
  EXPECT_EQ(text.line(1), 2U);
  EXPECT_EQ(text[2].kind, PieceKind::kEntry);
  EXPECT_EQ(text[2].name, "main");
  EXPECT_EQ(text.line(2), 6U);
  EXPECT_EQ(text.Joined(), kText);
}

TEST(LspPieceTest, AnEditReplacesThePiecesItTouches) {
  PieceText text{std::string(kText)};
  const Piece last = text[2];
  PieceChange change = text.Replace({{3, 7}, {3, 9}}, Encoding::kUtf8, "%q");
  EXPECT_EQ(change.first, 1U);
  EXPECT_EQ(change.removed.size(), 1U);
  EXPECT_EQ(change.added, 1U);
  EXPECT_EQ(text[2].text.data(), last.text.data());
  // A header that is one no more belongs to the piece before it.
  change = text.Replace({{6, 0}, {6, 0}}, Encoding::kUtf8, "  ");
  EXPECT_EQ(change.first, 1U);
  EXPECT_EQ(change.added, 1U);
  EXPECT_EQ(text.size(), 2U);
  // And back.
  change = text.Replace({{6, 0}, {6, 2}}, Encoding::kUtf8, "");
  EXPECT_EQ(change.added, 2U);
  EXPECT_EQ(text.size(), 3U);
}

TEST(LspPieceTest, EmptyTextsAndPositionsBeyondTheEndAreFine) {
  PieceText text{std::string()};
  EXPECT_EQ(text.size(), 0U);
  EXPECT_EQ(text.PointAt({5, 5}, Encoding::kUtf16).byte, 0U);
  (void)text.Replace({{3, 0}, {9, 9}}, Encoding::kUtf16, "ENTRY e {\n");
  EXPECT_EQ(text.size(), 1U);
  (void)text.Replace({{9, 9}, {9, 9}}, Encoding::kUtf16, "}");
  EXPECT_EQ(text.Joined(), "ENTRY e {\n}");
  (void)text.Replace({{0, 0}, {9, 9}}, Encoding::kUtf16, "");
  EXPECT_EQ(text.size(), 0U);
}

TEST(LspPositionTest, ColumnsAreUtf16OrBytes) {
  constexpr std::string_view kLine = "a\xC3\xA4\xF0\x9F\x98\x80z";
  EXPECT_EQ(ColumnsOf(kLine, Encoding::kUtf16), 5U);
  EXPECT_EQ(ColumnsOf(kLine, Encoding::kUtf8), 8U);
  EXPECT_EQ(ByteAt(kLine, 4, Encoding::kUtf16), 7U);
  EXPECT_EQ(ByteAt(kLine, 99, Encoding::kUtf16), 8U);
  // Within a character: its beginning.
  EXPECT_EQ(ByteAt(kLine, 5, Encoding::kUtf8), 3U);
  PositionCounter counter("ab\ncd\n", 10, Encoding::kUtf16);
  EXPECT_EQ(counter.At(4), (Position{11, 1}));
  EXPECT_EQ(counter.At(1), (Position{10, 1}));
  EXPECT_EQ(counter.At(6), (Position{12, 0}));
}

TEST(LspPieceTest, LinesOfALargePieceAreFoundByItsMarks) {
  constexpr uint32_t kLines = 9000;
  std::string text = "ENTRY %e {\n";
  for (uint32_t i = 0; i < kLines; ++i) text += "  %v" + std::to_string(i) + " = f32[] x()\n";
  PieceText pieces(text);
  ASSERT_EQ(pieces.size(), 1U);
  ASSERT_GT(pieces[0].line_marks().size(), 30U);
  for (int round = 0; round < 2; ++round) {
    size_t begin = 0;
    for (uint32_t line = 0; line <= kLines; ++line) {
      ASSERT_EQ(pieces.PointAt({line, 2}, Encoding::kUtf16).byte, begin + 2) << line;
      PositionCounter counter(pieces[0].text, 7, Encoding::kUtf16, pieces[0].line_marks());
      ASSERT_EQ(counter.At(begin + 3), (Position{line + 7, 3})) << line;
      // Back to an earlier one.
      ASSERT_EQ(counter.At(0), (Position{7, 0}));
      begin = text.find('\n', begin) + 1;
    }
    (void)pieces.Replace({{40, 0}, {40, 0}}, Encoding::kUtf16, "  // more\n  // lines\n");
    const size_t at = text.find("  %v39 ");
    text.insert(at, "  // more\n  // lines\n");
    ASSERT_EQ(pieces.Joined(), text);
  }
}

}  // namespace
}  // namespace halo::lsp
