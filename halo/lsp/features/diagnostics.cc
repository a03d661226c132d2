// What the reader and the verifier report, as editors show it. The marked range is the word at the
// location, or the rest of its line.
#include <algorithm>

#include "halo/lsp/features/features.h"

namespace halo::lsp {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-' || c == '%';
}

// A range for a location of the reader, which counts lines and bytes from 1.
Range RangeOf(const OpenText& open, const SourceLocation& location, Encoding encoding) {
  const PieceText& text = open.text();
  if (location.line == 0 || text.size() == 0) return {};
  const uint32_t line = location.line - 1;
  const PiecePoint begin = text.PointAt({line, 0}, Encoding::kUtf8);
  const std::string_view piece = text[begin.piece].text;
  const size_t line_end = std::min(piece.find('\n', begin.byte), piece.size());
  const size_t at =
      std::min<size_t>(begin.byte + std::max<uint32_t>(location.column, 1) - 1, line_end);
  size_t end = at;
  while (end < line_end && IsWordByte(piece[end])) ++end;
  if (end == at) end = std::min(at + 1, line_end);
  while (end < line_end && (static_cast<unsigned char>(piece[end]) & 0xC0) == 0x80) ++end;
  const auto column = [&](size_t byte) {
    return ColumnsOf(piece.substr(begin.byte, byte - begin.byte), encoding);
  };
  return {{line, column(at)}, {line, column(end)}};
}

}  // namespace

void WriteDiagnostics(const OpenText& text, Encoding encoding, JsonWriter& json) {
  constexpr int kError = 1;
  constexpr int kWarning = 2;
  json.BeginArray();
  for (const CheckNote& note : text.Notes().notes) {
    json.BeginObject().Key("range");
    WriteRange(RangeOf(text, note.diagnostic.location, encoding), json);
    json.Field("severity", note.diagnostic.severity == Severity::kError ? kError : kWarning)
        .Field("code", note.label())
        .Field("source", "halo")
        .Field("message", note.diagnostic.help.empty()
                              ? note.diagnostic.message
                              : note.diagnostic.message + "\nhelp: " + note.diagnostic.help)
        .EndObject();
  }
  json.EndArray();
}

}  // namespace halo::lsp
