// Offsets and lines of all pieces are counted again after an edit: a text of 100 MB has some ten
// thousand pieces, which takes microseconds.
#include "halo/lsp/text/piece_text.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

namespace halo::lsp {

PieceText::PieceText(std::string text)
    : pieces_(SplitPieces(std::make_shared<const std::string>(std::move(text)))) {
  Count();
}

void PieceText::Count() {
  offsets_.resize(pieces_.size());
  lines_.resize(pieces_.size());
  bytes_ = 0;
  uint32_t lines = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    offsets_[i] = bytes_;
    lines_[i] = lines;
    bytes_ += pieces_[i].text.size();
    lines += pieces_[i].newlines;
  }
}

PiecePoint PieceText::PointAt(Position position, Encoding encoding) const {
  if (pieces_.empty()) return {};
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), position.line);
  const auto piece = static_cast<size_t>(after - lines_.begin()) - 1;
  const std::string_view text = pieces_[piece].text;
  size_t begin = 0;
  uint32_t line = lines_[piece];
  if (const auto marks = pieces_[piece].line_marks(); !marks.empty()) {
    const size_t mark = std::min<size_t>((position.line - line) / kLinesPerMark, marks.size());
    if (mark > 0) begin = marks[mark - 1];
    line += static_cast<uint32_t>(mark) * kLinesPerMark;
  }
  for (; line < position.line; ++line) {
    const void* newline = std::memchr(text.data() + begin, '\n', text.size() - begin);
    // Only the last piece may end before the line.
    if (newline == nullptr) return {piece, text.size()};
    begin = static_cast<size_t>(static_cast<const char*>(newline) - text.data()) + 1;
  }
  const size_t end = std::min(text.find('\n', begin), text.size());
  return {piece, begin + ByteAt(text.substr(begin, end - begin), position.column, encoding)};
}

PieceChange PieceText::Replace(Range range, Encoding encoding, std::string_view text) {
  if (pieces_.empty()) {
    pieces_ = SplitPieces(std::make_shared<const std::string>(text));
    Count();
    return {0, {}, pieces_.size(), 0, 0, text.size()};
  }
  PiecePoint begin = PointAt(range.begin, encoding);
  PiecePoint end = PointAt(range.end, encoding);
  if (std::pair(end.piece, end.byte) < std::pair(begin.piece, begin.byte)) std::swap(begin, end);
  size_t first = begin.piece;
  size_t last = end.piece;
  std::string merged;
  merged.reserve(begin.byte + text.size() + pieces_[last].text.size() - end.byte);
  merged += pieces_[first].text.substr(0, begin.byte);
  merged += text;
  merged += pieces_[last].text.substr(end.byte);
  // The next piece begins a line, and so must the first of these.
  while (last + 1 < pieces_.size() && !merged.ends_with('\n')) merged += pieces_[++last].text;
  std::string_view name;
  if (first > 0 && BeginsPiece(merged, name) == PieceKind::kOther) {
    merged.insert(0, pieces_[--first].text);
  }
  std::vector<Piece> fresh = SplitPieces(std::make_shared<const std::string>(std::move(merged)));
  const size_t added = fresh.size();
  const auto at = pieces_.begin() + static_cast<ptrdiff_t>(first);
  const auto stop = pieces_.begin() + static_cast<ptrdiff_t>(last) + 1;
  PieceChange change = {first,    {std::make_move_iterator(at), std::make_move_iterator(stop)},
                        added,    begin.byte,
                        end.byte, begin.byte + text.size()};
  const size_t common = std::min(change.removed.size(), added);
  const auto rest = fresh.begin() + static_cast<ptrdiff_t>(common);
  const auto gap = std::move(fresh.begin(), rest, at);
  pieces_.erase(gap, stop);
  pieces_.insert(pieces_.begin() + static_cast<ptrdiff_t>(first + common),
                 std::make_move_iterator(rest), std::make_move_iterator(fresh.end()));
  Count();
  return change;
}

std::string PieceText::Joined() const { return lsp::Joined(pieces_); }

std::string Joined(const std::vector<Piece>& pieces) {
  std::string all;
  size_t bytes = 0;
  for (const Piece& each : pieces) bytes += each.text.size();
  all.reserve(bytes);
  for (const Piece& each : pieces) all += each.text;
  return all;
}

}  // namespace halo::lsp
