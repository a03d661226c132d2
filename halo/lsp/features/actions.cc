// Fixes for what the reader reports, where the text itself shows what was meant, and formatting in
// a style. A diagnostic without such a fix has its advice in its message.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "halo/api/document/format.h"
#include "halo/ir/opcode.h"
#include "halo/lsp/document/find_instruction.h"
#include "halo/lsp/features/features.h"

namespace halo::lsp {
namespace {

constexpr size_t kMostFormatted = size_t{16} << 20;  // bytes
constexpr size_t kMostSuggested = 3;
constexpr size_t kMostCompared = 20000;  // names

// How many letters differ, up to a limit beyond which it does not matter.
size_t Distance(std::string_view a, std::string_view b) {
  constexpr size_t kLongest = 64;
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::array<size_t, kLongest + 1> row{};
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Collects the names most like one that is unknown.
class Similar {
 public:
  explicit Similar(std::string_view wanted) : wanted_(wanted) {}
  void Offer(std::string_view name) {
    if (name.empty() || name == wanted_ || ++offered_ > kMostCompared) return;
    const size_t distance = Distance(wanted_, name);
    if (distance <= std::max<size_t>(2, wanted_.size() / 3)) found_.emplace_back(distance, name);
  }
  // The best first.
  std::vector<std::string> Best() {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    std::vector<std::string> best;
    for (size_t i = 0; i < std::min(found_.size(), kMostSuggested); ++i) {
      best.emplace_back(found_[i].second);
    }
    return best;
  }

 private:
  std::string_view wanted_;
  std::vector<std::pair<size_t, std::string_view>> found_;
  size_t offered_ = 0;
};

struct Fix {
  std::string title;
  Span span;
  std::string text;
};

std::vector<Fix> Renamings(const Asked& asked, std::string_view code, const Target& target) {
  const PieceModel& model = *target.model;
  const std::string_view word = TextOf(model.text(), *target.word);
  Similar similar(word);
  if (code == "unknown-opcode") {
    for (size_t i = 0; i < OpcodeCount(); ++i) {
      if (!HasTrait(static_cast<Opcode>(i), kRemoved))
        similar.Offer(TextOf(static_cast<Opcode>(i)));
    }
  } else if (code == "unknown-attribute") {
    const Syntax& syntax = model.syntax;
    std::optional<Opcode> opcode;
    if (target.instruction != nullptr && target.instruction->opcode < syntax.words.size()) {
      opcode = OpcodeFromText(TextOf(model.text(), syntax.words[target.instruction->opcode]));
    }
    for (size_t i = 0; i < AttrKeyCount(); ++i) {
      const auto key = static_cast<AttrKey>(i);
      if (!opcode || MayHave(*opcode, key)) similar.Offer(TextOf(key));
    }
  } else if (code == "unknown-computation") {
    for (const Piece& piece : asked.text.text().pieces()) {
      if (piece.kind == PieceKind::kComputation) similar.Offer(piece.name);
    }
  } else if (target.computation != nullptr) {
    const ComputationSyntax& comp = *target.computation;
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      const InstructionSyntax& inst = model.syntax.instructions[i];
      if (&inst != target.instruction) similar.Offer(model.NameOf(inst));
    }
  }
  std::vector<Fix> fixes;
  for (const std::string& each : similar.Best()) {
    fixes.push_back({"Change to '" + each + "'", SpanOf(target.piece, *target.word), each});
  }
  return fixes;
}

// An operand written with another shape than it has.
std::vector<Fix> ShapeOfOperand(const Target& target) {
  const PieceModel& model = *target.model;
  if (target.computation == nullptr || target.instruction == nullptr) return {};
  const auto use =
      std::find_if(model.syntax.words.begin(), model.syntax.words.end(), [&](const Word& word) {
        return word.kind == WordKind::kInstructionUse && word.begin >= target.byte;
      });
  if (use == model.syntax.words.end() || use->begin > target.instruction->end) return {};
  const InstId id = FindInstruction(model.read->module, model.NameOf(*target.computation),
                                    TextOf(model.text(), *use));
  size_t end = use->begin;
  if (end > 0 && model.text()[end - 1] == '%') --end;
  while (end > target.byte && model.text()[end - 1] == ' ') --end;
  if (!id.valid() || end <= target.byte) return {};
  const Module& module = model.read->module;
  const std::string shape = module.shapes.Text(module.inst(id).shape);
  return {{"Write the shape of its definition", {target.piece, target.byte, end}, shape}};
}

std::vector<Fix> SignatureOf(const Target& target) {
  const PieceModel& model = *target.model;
  if (target.computation == nullptr) return {};
  const std::string_view text = model.text();
  const std::string_view name = model.NameOf(*target.computation);
  const Module& module = model.read->module;
  for (const Computation& comp : module.comps) {
    if (!comp.defined || module.text(comp.name) != name || !comp.root.valid()) continue;
    std::vector<std::string> parameters;
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      const Inst& inst = module.insts[i];
      if (inst.opcode != Opcode::kParameter) continue;
      if (inst.extra >= comp.count) return {};
      parameters.resize(std::max<size_t>(parameters.size(), inst.extra + 1));
      parameters[inst.extra] =
          std::string(module.name_of(inst)) + ": " + module.shapes.Text(inst.shape, false);
    }
    std::string signature = "(";
    for (const std::string& each : parameters) {
      signature += (signature.size() == 1 ? "" : ", ") + each;
    }
    signature += ") -> " + module.shapes.Text(module.inst(comp.root).shape, false) + " ";
    const size_t line_end = std::min(text.find('\n', target.byte), text.size());
    const size_t brace = text.substr(0, line_end).rfind('{');
    if (brace == std::string_view::npos || brace < target.byte || text[target.byte] != '(')
      return {};
    return {
        {"Write the signature of its instructions", {target.piece, target.byte, brace}, signature}};
  }
  return {};
}

std::vector<Fix> FixesFor(const Asked& asked, const JsonValue& diagnostic) {
  const std::optional<Range> range = ReadRange(diagnostic["range"]);
  if (!range || diagnostic["source"].AsString() != "halo") return {};
  const std::string_view code = diagnostic["code"].AsString();
  const Target target = TargetAt(asked, range->begin);
  if (target.model == nullptr) return {};
  if (code == "operand-shape-mismatch") return ShapeOfOperand(target);
  if (code == "signature-mismatch") return SignatureOf(target);
  constexpr std::array<std::string_view, 5> kNames = {"unknown-opcode", "unknown-attribute",
                                                      "unknown-computation", "unknown-operand",
                                                      "unknown-control-predecessor"};
  if (target.word == nullptr || std::find(kNames.begin(), kNames.end(), code) == kNames.end()) {
    return {};
  }
  return Renamings(asked, code, target);
}

Range WholeRange(const PieceText& text, Encoding encoding) {
  if (text.size() == 0) return {};
  const size_t last = text.size() - 1;
  PositionCounter counter(text[last].text, text.line(last), encoding, text[last].line_marks());
  return {{}, counter.At(text[last].text.size())};
}

// The text in a style; why not, if it cannot be formatted.
Refusal FormattedText(const OpenText& open, StyleChoice style, std::string& out) {
  if (open.text().bytes() > kMostFormatted) {
    return "the text is too large to be formatted in an editor; use `halo fmt -i`";
  }
  Document document = ReadDocument(SourceBuffer::Copy(open.text().Joined(), PathOfUri(open.uri())),
                                   PathOfUri(open.uri()));
  if (document.modules.size() != 1 || document.kind != FileKind::kHloText) {
    return "only a text of one module can be formatted";
  }
  if (document.errors() != 0) return "the text has errors; formatting it would lose something";
  TextBuffer text;
  FormatOptions options;
  options.style = style;
  FormatDocument(options, document, text);
  out = text.view();
  return {};
}

void WriteWholeEdit(const Asked& asked, std::string_view text, JsonWriter& json) {
  json.BeginArray().BeginObject().Key("range");
  WriteRange(WholeRange(asked.text.text(), asked.encoding), json);
  json.Field("newText", text).EndObject().EndArray();
}

bool WantsKind(const JsonValue& only, std::string_view kind) {
  if (only.kind != JsonValue::Kind::kArray) return true;
  return std::any_of(only.items.begin(), only.items.end(), [&](const JsonValue& each) {
    const std::string_view wanted = each.AsString();
    return wanted.empty() || kind == wanted ||
           (kind.starts_with(wanted) && kind[wanted.size()] == '.');
  });
}

struct StyleAction {
  std::string_view style, title;
};
constexpr std::array kStyleActions = {
    StyleAction{"canonical", "Format as XLA prints it after reading (canonical)"},
    StyleAction{"long", "Format with %, signatures and comments (long)"},
    StyleAction{"short", "Format without %, signatures and comments (short)"}};
constexpr std::string_view kFormatKind = "source.format";

}  // namespace

Refusal CodeActions(const Asked& asked, JsonWriter& json) {
  const JsonValue& only = asked.params["context"]["only"];
  SpanWriter spans(asked.text.text(), asked.encoding);
  json.BeginArray();
  if (WantsKind(only, "quickfix")) {
    for (const JsonValue& diagnostic : asked.params["context"]["diagnostics"].items) {
      const std::vector<Fix> fixes = FixesFor(asked, diagnostic);
      for (const Fix& fix : fixes) {
        json.BeginObject().Field("title", fix.title).Field("kind", "quickfix");
        if (&fix == &fixes.front()) json.Field("isPreferred", true);
        json.Key("edit").BeginObject().Key("changes").BeginObject().Key(asked.text.uri());
        json.BeginArray().BeginObject().Key("range");
        spans.Write(fix.span, json);
        json.Field("newText", fix.text).EndObject().EndArray().EndObject().EndObject().EndObject();
      }
    }
  }
  for (const StyleAction& each : kStyleActions) {
    const std::string kind = std::string(kFormatKind) + "." + std::string(each.style);
    if (!WantsKind(only, kind)) continue;
    json.BeginObject().Field("title", each.title).Field("kind", kind);
    json.Key("data").BeginObject().Field("uri", asked.text.uri()).Field("style", each.style);
    json.EndObject().EndObject();
  }
  json.EndArray();
  return {};
}

Refusal ResolveAction(const Asked& asked, JsonWriter& json) {
  const std::string_view style = asked.params["data"]["style"].AsString();
  const std::optional<StyleChoice> choice = StyleChoiceFromText(style);
  if (!choice) return "the action names no style";
  std::string text;
  if (Refusal refusal = FormattedText(asked.text, *choice, text); !refusal.empty()) return refusal;
  json.BeginObject()
      .Field("title", asked.params["title"].AsString())
      .Field("kind", asked.params["kind"].AsString(kFormatKind));
  json.Key("edit").BeginObject().Key("changes").BeginObject().Key(asked.text.uri());
  WriteWholeEdit(asked, text, json);
  json.EndObject().EndObject().EndObject();
  return {};
}

Refusal Formatting(const Asked& asked, JsonWriter& json) {
  const std::string_view style = asked.params["options"]["style"].AsString("as-read");
  const std::optional<StyleChoice> choice = StyleChoiceFromText(style);
  if (!choice) return "'" + std::string(style.substr(0, 40)) + "' is not a style of `halo fmt`";
  std::string text;
  if (Refusal refusal = FormattedText(asked.text, *choice, text); !refusal.empty()) return refusal;
  WriteWholeEdit(asked, text, json);
  return {};
}

}  // namespace halo::lsp
