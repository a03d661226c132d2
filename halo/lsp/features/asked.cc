// A word that no instruction holds, such as one of a header, belongs to its computation only.
#include "halo/lsp/features/asked.h"

#include <algorithm>

#include "halo/base/strings/text_buffer.h"

namespace halo::lsp {
namespace {

// On one line: large texts have thousands of them in one answer.
void AppendPosition(Position position, TextBuffer& out) {
  out << "{\"line\":" << position.line << ",\"character\":" << position.column << '}';
}

// Positions so near to the end of their piece are counted from there.
constexpr size_t kNearEnd = 64;

}  // namespace

std::optional<Position> ReadPosition(const JsonValue& value) {
  const int64_t line = value["line"].AsInt(-1);
  const int64_t column = value["character"].AsInt(-1);
  if (line < 0 || column < 0 || line > UINT32_MAX || column > UINT32_MAX) return std::nullopt;
  return Position{static_cast<uint32_t>(line), static_cast<uint32_t>(column)};
}

std::optional<Range> ReadRange(const JsonValue& value) {
  const std::optional<Position> begin = ReadPosition(value["start"]);
  const std::optional<Position> end = ReadPosition(value["end"]);
  if (!begin || !end) return std::nullopt;
  return Range{std::min(*begin, *end), std::max(*begin, *end)};
}

Target TargetOf(const Asked& asked) {
  const std::optional<Position> position = ReadPosition(asked.params["position"]);
  return position ? TargetAt(asked, *position) : Target();
}

Target TargetAt(const Asked& asked, Position position) {
  Target target;
  if (asked.text.text().size() == 0) return target;
  const PiecePoint point = asked.text.text().PointAt(position, asked.encoding);
  target.piece = point.piece;
  target.byte = point.byte;
  target.model = asked.text.Model(point.piece);
  const Syntax& syntax = target.model->syntax;
  target.word = target.model->WordAt(point.byte);
  target.instruction =
      target.word != nullptr && target.word->instruction < syntax.instructions.size()
          ? &syntax.instructions[target.word->instruction]
          : syntax.InstructionAt(point.byte);
  target.computation = target.instruction != nullptr
                           ? target.model->ComputationOf(*target.instruction)
                           : syntax.ComputationAt(point.byte);
  return target;
}

void WritePosition(Position position, JsonWriter& json) {
  TextBuffer text;
  AppendPosition(position, text);
  json.Raw(text.view());
}

void WriteRange(Range range, JsonWriter& json) {
  TextBuffer text;
  text << "{\"start\":";
  AppendPosition(range.begin, text);
  text << ",\"end\":";
  AppendPosition(range.end, text);
  text << '}';
  json.Raw(text.view());
}

Range SpanWriter::RangeOf(const Span& span) {
  if (span.piece != piece_) {
    piece_ = span.piece;
    counter_ = PositionCounter(text_[piece_].text, text_.line(piece_), encoding_,
                               text_[piece_].line_marks());
  }
  const Position begin = counter_.At(span.begin);
  const std::string_view text = text_[piece_].text;
  if (span.end < span.begin + kNearEnd || span.end > text.size() ||
      text.size() - span.end > kNearEnd) {
    return {begin, counter_.At(span.end)};
  }
  const std::string_view tail = text.substr(span.end);
  const auto after = static_cast<uint32_t>(std::count(tail.begin(), tail.end(), '\n'));
  const size_t newline = span.end == 0 ? std::string_view::npos : text.rfind('\n', span.end - 1);
  const size_t line = newline == std::string_view::npos ? 0 : newline + 1;
  return {begin,
          {text_.line(piece_) + text_[piece_].newlines - after,
           ColumnsOf(text.substr(line, span.end - line), encoding_)}};
}

void SpanWriter::WriteLocation(std::string_view uri, const Span& span, JsonWriter& json) {
  json.BeginObject().Field("uri", uri).Key("range");
  Write(span, json);
  json.EndObject();
}

std::string ShortShape(const Module& module, ShapeId shape, size_t longest) {
  if (!shape.valid()) return {};
  std::string text = module.shapes.Text(shape, false);
  if (text.size() > longest) {
    text.resize(longest);
    text += "…";
  }
  return text;
}

}  // namespace halo::lsp
