// Words as colours. A large text is coloured by range only: all of its words would be more than the
// text itself.
#include <array>
#include <vector>

#include "halo/lsp/features/features.h"

namespace halo::lsp {
namespace {

constexpr size_t kMostWhole = size_t{2} << 20;  // bytes

constexpr std::array<std::string_view, 11> kTypes = {
    "keyword",  "namespace", "class",      "variable", "parameter", "type",
    "function", "property",  "enumMember", "number",   "string"};
constexpr std::array<std::string_view, 1> kModifiers = {"definition"};

int TypeOf(WordKind kind) {
  switch (kind) {
    case WordKind::kKeyword: return 0;
    case WordKind::kModuleName: return 1;
    case WordKind::kComputation:
    case WordKind::kComputationUse: return 2;
    case WordKind::kInstruction:
    case WordKind::kInstructionUse: return 3;
    case WordKind::kSignatureName: return 4;
    case WordKind::kType: return 5;
    case WordKind::kOpcode: return 6;
    case WordKind::kAttribute: return 7;
    case WordKind::kValue: return 8;
    case WordKind::kNumber: return 9;
    case WordKind::kString: return 10;
    case WordKind::kComment: break;
  }
  return -1;  // editors find comments by themselves
}

// Writes tokens, each relative to the one before.
class TokenWriter {
 public:
  TokenWriter(Encoding encoding, JsonWriter& json) : encoding_(encoding), json_(json) {
    json_.BeginObject().Key("data").BeginArray();
  }
  ~TokenWriter() { json_.EndArray().EndObject(); }
  TokenWriter(const TokenWriter&) = delete;
  TokenWriter& operator=(const TokenWriter&) = delete;

  // Words of a text that begins at `line`, as far as their lines are in [first, last].
  void Add(std::string_view text, const Syntax& syntax, uint32_t line, uint32_t first,
           uint32_t last) {
    PositionCounter counter(text, line, encoding_);
    for (const Word& word : syntax.words) {
      const int type = TypeOf(word.kind);
      if (type < 0) continue;
      const Position at = counter.At(word.begin);
      if (at.line < first) continue;
      if (at.line > last) break;
      const uint32_t lines = at.line - last_.line;
      json_.Number(lines)
          .Number(lines == 0 ? at.column - last_.column : at.column)
          .Number(ColumnsOf(TextOf(text, word), encoding_))
          .Number(type)
          .Number(word.kind == WordKind::kInstruction || word.kind == WordKind::kComputation ? 1
                                                                                             : 0);
      last_ = at;
    }
  }

 private:
  Encoding encoding_;
  JsonWriter& json_;
  Position last_;
};

}  // namespace

std::span<const std::string_view> TokenTypes() { return kTypes; }
std::span<const std::string_view> TokenModifiers() { return kModifiers; }

Refusal TokensOfText(const Asked& asked, JsonWriter& json) {
  const PieceText& text = asked.text.text();
  if (text.bytes() > kMostWhole) return json.Null(), Refusal();
  TokenWriter tokens(asked.encoding, json);
  for (size_t i = 0; i < text.size(); ++i) {
    tokens.Add(text[i].text, ReadSyntax(text[i].text), text.line(i), 0, UINT32_MAX);
  }
  return {};
}

Refusal TokensOfRange(const Asked& asked, JsonWriter& json) {
  const PieceText& text = asked.text.text();
  const std::optional<Range> range = ReadRange(asked.params["range"]);
  if (!range) return "the request has no valid range";
  TokenWriter tokens(asked.encoding, json);
  if (text.size() == 0) return {};
  const PiecePoint begin = text.PointAt(range->begin, asked.encoding);
  for (size_t i = begin.piece; i < text.size() && text.line(i) <= range->end.line; ++i) {
    // Only the lines in sight are read, from an instruction's first on.
    const std::string_view all = text[i].text;
    const size_t from = i == begin.piece ? StatementBefore(all, begin.byte) : 0;
    size_t to = all.size();
    if (i + 1 == text.size() || text.line(i + 1) > range->end.line) {
      const PiecePoint end = text.PointAt({range->end.line, UINT32_MAX}, asked.encoding);
      to = end.piece == i ? end.byte : to;
    }
    const uint32_t line =
        PositionCounter(all, text.line(i), asked.encoding, text[i].line_marks()).At(from).line;
    const std::string_view part = all.substr(from, to - from);
    tokens.Add(part, ReadSyntax(part), line, range->begin.line, range->end.line);
  }
  return {};
}

}  // namespace halo::lsp
