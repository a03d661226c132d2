// A request about an open text: where it points, and how results are written.
#ifndef HALO_LSP_FEATURES_ASKED_H_
#define HALO_LSP_FEATURES_ASKED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"
#include "halo/lsp/document/open_text.h"

namespace halo::lsp {

struct Asked {
  OpenText& text;
  Encoding encoding = Encoding::kUtf16;
  const JsonValue& params;
};

// Nothing if the value is not a position or a range.
std::optional<Position> ReadPosition(const JsonValue& value);
std::optional<Range> ReadRange(const JsonValue& value);

// The target that a request's position is about.
struct Target {
  size_t piece = 0;
  std::shared_ptr<const PieceModel> model;  // null if the text is empty or there is no position
  size_t byte = 0;
  const Word* word = nullptr;  // null if there is none
  // Of the word, or of the byte; null if there is none.
  const InstructionSyntax* instruction = nullptr;
  const ComputationSyntax* computation = nullptr;
};
Target TargetOf(const Asked& asked);
Target TargetAt(const Asked& asked, Position position);

// Some bytes of a piece.
struct Span {
  size_t piece = 0;
  size_t begin = 0, end = 0;
};

void WritePosition(Position position, JsonWriter& json);
void WriteRange(Range range, JsonWriter& json);

// Writes positions in one text; fastest if spans come in order.
class SpanWriter {
 public:
  SpanWriter(const PieceText& text, Encoding encoding) : text_(text), encoding_(encoding) {}
  Range RangeOf(const Span& span);
  void Write(const Span& span, JsonWriter& json) { WriteRange(RangeOf(span), json); }
  // {"uri":…,"range":…}
  void WriteLocation(std::string_view uri, const Span& span, JsonWriter& json);

 private:
  const PieceText& text_;
  Encoding encoding_;
  size_t piece_ = SIZE_MAX;
  PositionCounter counter_{{}, 0, Encoding::kUtf8};
};

inline Span SpanOf(size_t piece, const Word& word) {
  return {piece, word.begin, size_t{word.begin} + word.length};
}

// A shape as readers know it, without layouts, at most so long.
std::string ShortShape(const Module& module, ShapeId shape, size_t longest = 200);

}  // namespace halo::lsp

#endif  // HALO_LSP_FEATURES_ASKED_H_
