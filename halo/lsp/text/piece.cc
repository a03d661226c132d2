// Only lines that are not indented begin pieces. That is how XLA prints texts; in a text that
// indents its computations, all of them are one piece.
#include "halo/lsp/text/piece.h"

#include <cstring>
#include <utility>

namespace halo::lsp {
namespace {

constexpr size_t kFewestMarks = 16;

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNameChar(char c) { return IsNameStart(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }

// Takes [%]name from the front of a text; empty if there is none.
std::string_view TakeName(std::string_view& text) {
  if (text.starts_with('%')) text.remove_prefix(1);
  if (text.empty() || !IsNameStart(text.front())) return {};
  size_t end = 1;
  while (end < text.size() && IsNameChar(text[end])) ++end;
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  return name;
}

void SkipSpaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

}  // namespace

PieceKind BeginsPiece(std::string_view text, std::string_view& name) {
  name = {};
  const std::string_view word = TakeName(text);
  if (word.empty()) return PieceKind::kOther;
  SkipSpaces(text);
  if (word == "HloModule") {
    name = TakeName(text);
    return PieceKind::kHeader;
  }
  if (word == "ENTRY") {
    name = TakeName(text);
    return PieceKind::kEntry;
  }
  if (text.empty() || (text.front() != '(' && text.front() != '{')) return PieceKind::kOther;
  name = word;
  return PieceKind::kComputation;
}

std::vector<Piece> SplitPieces(const std::shared_ptr<const std::string>& text) {
  std::vector<Piece> pieces;
  const std::string_view all = *text;
  Piece open;
  open.owner = text;
  open.kind = BeginsPiece(all, open.name);
  size_t begin = 0;
  LineMarks marks;
  const auto close = [&](size_t end) {
    open.text = all.substr(begin, end - begin);
    open.marks = marks.size() < kFewestMarks ? nullptr : std::make_shared<const LineMarks>(marks);
    marks.clear();
    if (!open.text.empty()) pieces.push_back(open);
    begin = end;
    open.newlines = 0;
  };
  size_t at = 0;
  while (at < all.size()) {
    const void* found = std::memchr(all.data() + at, '\n', all.size() - at);
    if (found == nullptr) break;
    at = static_cast<size_t>(static_cast<const char*>(found) - all.data()) + 1;
    if (++open.newlines % kLinesPerMark == 0) marks.push_back(static_cast<uint32_t>(at - begin));
    if (at == all.size() || (all[at] != '%' && !IsNameStart(all[at]))) continue;
    std::string_view name;
    const PieceKind kind = BeginsPiece(all.substr(at), name);
    if (kind == PieceKind::kOther) continue;
    close(at);
    open.kind = kind;
    open.name = name;
  }
  close(all.size());
  return pieces;
}

}  // namespace halo::lsp
