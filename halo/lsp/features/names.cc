// Calls are found by searching for the name in the whole text and looking at what is around it,
// which takes a fraction of the time that reading would.
#include "halo/lsp/features/names.h"

#include <algorithm>
#include <cstring>

namespace halo::lsp {
namespace {

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// True if `at` is where an attribute names computations: key=name or key={name, name}.
bool IsCall(std::string_view text, size_t at) {
  constexpr size_t kLongestList = 1 << 16;
  if (at > 0 && text[at - 1] == '%') --at;
  const auto skip_back = [&] {
    while (at > 0 && IsSpace(text[at - 1])) --at;
  };
  skip_back();
  if (at == 0) return false;
  if (text[at - 1] == ',' || text[at - 1] == '{') {
    const size_t stop = at > kLongestList ? at - kLongestList : 0;
    while (at > stop && (IsNameByte(text[at - 1]) || text[at - 1] == '%' || text[at - 1] == ',' ||
                         IsSpace(text[at - 1]))) {
      --at;
    }
    if (at == stop || text[at - 1] != '{') return false;
    --at;
    skip_back();
  }
  if (at == 0 || text[at - 1] != '=') return false;
  --at;
  const size_t end = at;
  while (at > 0 && IsNameByte(text[at - 1])) --at;
  const std::optional<AttrKey> key = AttrKeyFromText(text.substr(at, end - at));
  return key && NamesComputations(*key);
}

std::optional<Named> ComputationAt(const Asked& asked, const Target& target) {
  Named named;
  named.kind = Named::Kind::kComputation;
  named.name = TextOf(target.model->text(), *target.word);
  named.word = SpanOf(target.piece, *target.word);
  const std::optional<size_t> piece = asked.text.FindComputation(named.name);
  if (!piece) return named;
  const std::shared_ptr<const PieceModel> kept = asked.text.Model(*piece);
  const PieceModel& model = *kept;
  for (const ComputationSyntax& comp : model.syntax.computations) {
    if (model.NameOf(comp) != named.name) continue;
    named.definition = SpanOf(*piece, model.syntax.words[comp.name]);
    named.whole = Span{*piece, comp.begin, comp.end};
    break;
  }
  return named;
}

}  // namespace

std::optional<Named> NamedAt(const Asked& asked, const Target& target) {
  if (target.model == nullptr || target.word == nullptr) return std::nullopt;
  switch (target.word->kind) {
    case WordKind::kComputation:
    case WordKind::kComputationUse: return ComputationAt(asked, target);
    case WordKind::kInstruction:
    case WordKind::kInstructionUse:
    case WordKind::kSignatureName: break;
    default: return std::nullopt;
  }
  Named named;
  named.name = TextOf(target.model->text(), *target.word);
  named.word = SpanOf(target.piece, *target.word);
  const InstructionSyntax* inst = nullptr;
  if (target.word->kind == WordKind::kInstruction) {
    inst = target.instruction;
  } else if (target.computation != nullptr) {
    inst = target.model->Find(*target.computation, named.name);
  }
  if (inst != nullptr && inst->name < target.model->syntax.words.size()) {
    named.definition = SpanOf(target.piece, target.model->syntax.words[inst->name]);
    named.whole = Span{target.piece, inst->begin, inst->end};
  }
  return named;
}

std::vector<Span> UsesOf(const Asked& asked, const Target& target, const Named& named) {
  if (named.kind == Named::Kind::kComputation) return CallsOf(asked.text.text(), named.name);
  std::vector<Span> uses;
  if (target.computation == nullptr) return uses;
  const PieceModel& model = *target.model;
  for (const Word& word : model.syntax.words) {
    if (word.begin < target.computation->begin) continue;
    if (word.begin >= target.computation->end) break;
    const bool is_use =
        word.kind == WordKind::kInstructionUse || word.kind == WordKind::kSignatureName;
    if (is_use && TextOf(model.text(), word) == named.name) {
      uses.push_back(SpanOf(target.piece, word));
    }
  }
  return uses;
}

std::vector<Span> CallsOf(const PieceText& text, std::string_view computation) {
  std::vector<Span> calls;
  if (computation.empty()) return calls;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view piece = text[i].text;
    size_t from = 0;
    while (from < piece.size()) {
      const void* found =
          memmem(piece.data() + from, piece.size() - from, computation.data(), computation.size());
      if (found == nullptr) break;
      const auto at = static_cast<size_t>(static_cast<const char*>(found) - piece.data());
      const size_t end = at + computation.size();
      from = at + 1;
      const bool is_whole = (at == 0 || !IsNameByte(piece[at - 1])) &&
                            (end == piece.size() || !IsNameByte(piece[end]));
      if (is_whole && IsCall(piece, at)) calls.push_back({i, at, end});
    }
  }
  return calls;
}

}  // namespace halo::lsp
