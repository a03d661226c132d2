// Symbols and folds. In a large text only computations are listed: editors show every symbol, and a
// million of them helps no one.
#include <algorithm>
#include <cstring>

#include "halo/lsp/features/features.h"
#include "halo/memory/explain/origins.h"

namespace halo::lsp {
namespace {

constexpr size_t kMostWithInstructions = size_t{2} << 20;  // bytes
constexpr int kFunction = 12;
constexpr int kVariable = 13;
constexpr int kModuleSymbol = 2;
constexpr uint32_t kFewestInScope = 4;

bool IsComputationPiece(const Piece& piece) {
  return piece.kind == PieceKind::kComputation || piece.kind == PieceKind::kEntry;
}

// The part of the computation's last line that closes it.
size_t EndOfPiece(std::string_view text) {
  const size_t brace = text.rfind("\n}");
  return brace == std::string_view::npos ? text.size() : brace + 2;
}

void WriteSymbol(std::string_view name, std::string_view detail, int kind, const Span& all,
                 const Span& word, SpanWriter& spans, JsonWriter& json) {
  json.BeginObject().Field("name", name).Field("kind", kind);
  if (!detail.empty()) json.Field("detail", detail);
  json.Key("range");
  spans.Write(all, json);
  json.Key("selectionRange");
  spans.Write(word, json);
}

void WriteInstructions(const PieceModel& model, const ComputationSyntax& comp, size_t piece,
                       SpanWriter& spans, JsonWriter& json) {
  json.Key("children").BeginArray();
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    const InstructionSyntax& inst = model.syntax.instructions[i];
    if (inst.name >= model.syntax.words.size()) continue;
    const std::string_view opcode = inst.opcode < model.syntax.words.size()
                                        ? TextOf(model.text(), model.syntax.words[inst.opcode])
                                        : std::string_view();
    WriteSymbol(model.NameOf(inst), opcode, kVariable, {piece, inst.begin, inst.end},
                SpanOf(piece, model.syntax.words[inst.name]), spans, json);
    json.EndObject();
  }
  json.EndArray();
}

void WriteFold(uint32_t first, uint32_t last, JsonWriter& json) {
  if (last <= first) return;
  json.BeginObject()
      .Field("startLine", first)
      .Field("endLine", last)
      .Field("kind", "region")
      .EndObject();
}

// Consecutive instructions of one scope, such as a layer.
void WriteScopes(const PieceModel& model, const ComputationSyntax& comp, uint32_t first_line,
                 JsonWriter& json) {
  const Module& module = model.read->module;
  PositionCounter lines(model.text(), first_line, Encoding::kUtf8);
  std::string open;
  uint32_t begin = 0;
  uint32_t last = 0;
  uint32_t count = 0;
  const auto close = [&] {
    if (!open.empty() && count >= kFewestInScope) WriteFold(begin, last, json);
    open.clear();
    count = 0;
  };
  // Instructions of the text and of the module are in the same order.
  uint32_t row = 0;
  uint32_t end = 0;
  for (const Computation& each : module.comps) {
    if (each.defined && module.text(each.name) == model.NameOf(comp)) {
      row = each.first;
      end = each.first + each.count;
    }
  }
  for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
    const InstructionSyntax& inst = model.syntax.instructions[i];
    uint32_t found = row;
    while (found < end && module.name_of(module.insts[found]) != model.NameOf(inst)) ++found;
    if (found == end) continue;
    row = found + 1;
    const std::string scope =
        InnermostScope(module.MetadataText(module.insts[found], AttrKey::k_op_name));
    if (scope != open) close();
    if (scope.empty()) continue;
    if (open.empty()) begin = lines.At(inst.begin).line;
    open = scope;
    last = lines.At(inst.end).line;
    ++count;
  }
  close();
}

}  // namespace

Refusal DocumentSymbols(const Asked& asked, JsonWriter& json) {
  const PieceText& text = asked.text.text();
  const bool with_instructions = text.bytes() <= kMostWithInstructions;
  SpanWriter spans(text, asked.encoding);
  json.BeginArray();
  for (size_t i = 0; i < text.size(); ++i) {
    const Piece& piece = text[i];
    const std::string_view detail = piece.kind == PieceKind::kEntry ? "entry" : "";
    if (IsComputationPiece(piece) && !with_instructions) {
      const size_t name =
          piece.name.empty() ? 0 : static_cast<size_t>(piece.name.data() - piece.text.data());
      WriteSymbol(piece.name.empty() ? "(no name)" : piece.name, detail, kFunction,
                  {i, 0, EndOfPiece(piece.text)}, {i, name, name + piece.name.size()}, spans, json);
      json.EndObject();
      continue;
    }
    const std::shared_ptr<const PieceModel> kept = asked.text.Model(i);
    const PieceModel& model = *kept;
    if (piece.kind == PieceKind::kHeader && !piece.name.empty()) {
      const auto name = static_cast<size_t>(piece.name.data() - piece.text.data());
      const size_t line = std::min(piece.text.find('\n'), piece.text.size());
      WriteSymbol(piece.name, "module", kModuleSymbol, {i, 0, std::max(line, name)},
                  {i, name, name + piece.name.size()}, spans, json);
      json.EndObject();
    }
    for (const ComputationSyntax& comp : model.syntax.computations) {
      const Span all = {i, comp.begin, comp.end};
      const bool is_named = comp.name < model.syntax.words.size();
      WriteSymbol(
          is_named ? model.NameOf(comp) : "(no name)", comp.is_entry ? "entry" : "", kFunction, all,
          is_named ? SpanOf(i, model.syntax.words[comp.name]) : Span{i, comp.begin, comp.begin},
          spans, json);
      if (with_instructions) WriteInstructions(model, comp, i, spans, json);
      json.EndObject();
    }
  }
  json.EndArray();
  return {};
}

Refusal FoldingRanges(const Asked& asked, JsonWriter& json) {
  const PieceText& text = asked.text.text();
  const bool with_scopes = text.bytes() <= kMostWithInstructions;
  json.BeginArray();
  for (size_t i = 0; i < text.size(); ++i) {
    const Piece& piece = text[i];
    if (IsComputationPiece(piece) && !with_scopes) {
      const size_t end = EndOfPiece(piece.text);
      const auto after = static_cast<uint32_t>(
          std::count(piece.text.begin() + static_cast<ptrdiff_t>(end), piece.text.end(), '\n'));
      // The closing brace stays visible.
      const uint32_t lines = piece.newlines - after;
      if (lines > 1) WriteFold(text.line(i), text.line(i) + lines - 1, json);
      continue;
    }
    const std::shared_ptr<const PieceModel> kept = asked.text.Model(i);
    const PieceModel& model = *kept;
    if (piece.kind == PieceKind::kHeader && model.syntax.computations.empty()) {
      const size_t end = piece.text.find_last_not_of(" \t\r\n");
      const auto lines = static_cast<uint32_t>(std::count(
          piece.text.begin(), piece.text.begin() + static_cast<ptrdiff_t>(end + 1), '\n'));
      WriteFold(text.line(i), text.line(i) + lines, json);
    }
    PositionCounter lines(piece.text, text.line(i), Encoding::kUtf8);
    for (const ComputationSyntax& comp : model.syntax.computations) {
      const uint32_t first = lines.At(comp.begin).line;
      const uint32_t last = lines.At(comp.end).line;
      if (last > first + 1) WriteFold(first, last - 1, json);
      WriteScopes(model, comp, text.line(i), json);
    }
  }
  json.EndArray();
  return {};
}

}  // namespace halo::lsp
