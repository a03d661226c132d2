// The definitions are calls of an unknown function, which the reader takes with any shape.
#include "halo/lsp/document/statement_text.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace halo::lsp {
namespace {

constexpr uint32_t kMostStatements = 256;
constexpr size_t kMostStatementBytes = size_t{1} << 20;

}  // namespace

std::optional<StatementText> TextOfStatements(const PieceModel& model, const SyntaxChange& change) {
  const Syntax& syntax = model.syntax;
  const std::string_view text = model.text();
  if (change.count == 0 || change.count > kMostStatements ||
      change.new_end - change.begin > kMostStatementBytes) {
    return std::nullopt;
  }
  const auto word_at = [&](size_t byte) {
    return std::lower_bound(syntax.words.begin(), syntax.words.end(), byte,
                            [](const Word& word, size_t at) { return word.begin < at; });
  };
  std::unordered_set<std::string_view> names;
  for (auto word = word_at(change.begin); word != word_at(change.new_end); ++word) {
    if (word->kind == WordKind::kInstruction || word->kind == WordKind::kInstructionUse) {
      names.insert(TextOf(text, *word));
    }
  }
  StatementText result;
  const uint32_t comp = syntax.instructions[change.first].computation;
  if (!change.has_head) result.text = "statements {\n";
  // Only what precedes them is defined where they are read.
  for (uint32_t i = change.first; i-- > 0 && syntax.instructions[i].computation == comp;) {
    const InstructionSyntax& inst = syntax.instructions[i];
    const std::string_view name = model.NameOf(inst);
    if (names.erase(name) == 0) continue;
    if (inst.opcode >= syntax.words.size()) return std::nullopt;
    const size_t equals = text.find('=', inst.begin);
    const size_t opcode = syntax.words[inst.opcode].begin;
    if (equals >= opcode) return std::nullopt;
    result.text += std::string(name) + " =";
    result.text += text.substr(equals + 1, opcode - equals - 1);
    result.text += "custom-call(), custom_call_target=\"x\"\n";
  }
  result.first_line =
      static_cast<uint32_t>(std::count(result.text.begin(), result.text.end(), '\n'));
  result.begin = result.text.size();
  result.text += text.substr(change.begin, change.new_end - change.begin);
  result.end = result.text.size();
  result.text += "}\n";
  return result;
}

}  // namespace halo::lsp
