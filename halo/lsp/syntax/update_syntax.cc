// What is read again reaches from an instruction before the edited lines to a line after them at
// which every reading begins afresh: an instruction with little indentation, or the brace that
// closes the computation. Comments over several lines and edits that begin or close computations
// reach further, so nothing is updated then.
#include "halo/lsp/syntax/update_syntax.h"

#include <algorithm>
#include <iterator>

namespace halo::lsp {
namespace {

// From here on, a line within brackets is not taken for an instruction.
constexpr size_t kDeepIndent = 4;

size_t LineStart(std::string_view text, size_t byte) {
  const size_t newline = byte == 0 ? std::string_view::npos : text.rfind('\n', byte - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

bool IsSpaceByte(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// True if every comment that begins in the text ends in it, and none ends that began before.
bool ClosesComments(std::string_view text) {
  size_t at = 0;
  while (true) {
    const size_t open = text.find("/*", at);
    const size_t close = text.find("*/", at);
    if (open == std::string_view::npos) return close == std::string_view::npos;
    if (close == std::string_view::npos || close < open) return false;
    at = text.find("*/", open + 2);
    if (at == std::string_view::npos) return false;
    at += 2;
  }
}

bool HasLineWithBrace(std::string_view text) {
  for (size_t line = 0; line < text.size();) {
    size_t at = line;
    while (at < text.size() && IsSpaceByte(text[at])) ++at;
    if (at < text.size() && text[at] == '}') return true;
    const size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos) return false;
    line = newline + 1;
  }
  return false;
}

bool IsOnlyInstructions(std::string_view text, const Syntax& syntax, bool has_head) {
  if (syntax.computations.size() != (has_head ? 1 : 0)) return false;
  return std::none_of(syntax.words.begin(), syntax.words.end(), [&](const Word& word) {
    if (word.kind == WordKind::kModuleName) return true;
    return word.kind == WordKind::kKeyword && TextOf(text, word) == "HloModule";
  });
}

struct Shift {
  uint32_t bytes = 0, words = 0, instructions = 0;  // modulo 2^32
};

void Move(uint32_t by, uint32_t& row) {
  if (row != UINT32_MAX) row += by;
}

template <typename T>
void Splice(size_t first, size_t last, std::vector<T>& fresh, std::vector<T>& all) {
  const auto at = [&](size_t row) { return all.begin() + static_cast<ptrdiff_t>(row); };
  const size_t common = std::min(last - first, fresh.size());
  std::copy_n(fresh.begin(), common, at(first));
  if (fresh.size() > common) {
    all.insert(at(last), fresh.begin() + static_cast<ptrdiff_t>(common), fresh.end());
  } else {
    all.erase(at(first + common), at(last));
  }
}

}  // namespace

bool UpdateSyntax(std::string_view before, std::string_view after, const ByteEdit& edit,
                  Syntax& syntax, SyntaxChange& change) {
  if (after.size() >= UINT32_MAX || edit.old_end > before.size() || edit.new_end > after.size()) {
    return false;
  }
  std::vector<InstructionSyntax>& insts = syntax.instructions;
  const size_t first_line = LineStart(before, edit.begin);
  const size_t last_line_end = before.find('\n', edit.old_end);
  if (last_line_end == std::string_view::npos) return false;
  const auto begins_before = [](const InstructionSyntax& inst, size_t byte) {
    return inst.begin < byte;
  };
  // The computation that the edit is in.
  const auto comp_at = std::find_if(
      syntax.computations.begin(), syntax.computations.end(),
      [&](const auto& each) { return each.begin < first_line && last_line_end < each.end; });
  if (comp_at == syntax.computations.end()) return false;
  ComputationSyntax& comp = *comp_at;
  const auto row_at = [&](uint32_t row) { return insts.begin() + static_cast<ptrdiff_t>(row); };
  const auto comp_end = row_at(comp.first + comp.count);
  auto first = std::lower_bound(row_at(comp.first), comp_end, first_line, begins_before);
  const bool has_head = first == row_at(comp.first);
  size_t begin = LineStart(before, comp.begin);
  if (!has_head) begin = LineStart(before, (--first)->begin);
  // Statements on one line are none that XLA prints.
  if (!has_head && first != row_at(comp.first) && (first - 1)->end > begin) return false;
  if (has_head && begin != comp.begin) return false;
  auto last = std::lower_bound(first, comp_end, last_line_end + 1, begins_before);
  size_t old_end = 0;
  for (; last != comp_end; ++last) {
    old_end = LineStart(before, last->begin);
    if (last->begin - old_end < kDeepIndent) break;
  }
  if (last == comp_end) {
    old_end = comp.end == 0 ? 0 : comp.end - 1;
    if (old_end <= last_line_end || before[old_end] != '}' || before[old_end - 1] != '\n') {
      return false;
    }
  }
  if (old_end <= last_line_end) return false;
  const size_t new_end = old_end - edit.old_end + edit.new_end;
  const std::string_view old_part = before.substr(begin, old_end - begin);
  const std::string_view part = after.substr(begin, new_end - begin);
  if (!ClosesComments(old_part) || !ClosesComments(part) || HasLineWithBrace(old_part) ||
      HasLineWithBrace(part)) {
    return false;
  }
  // The first end of a comment may close one far above, which ended with its line before.
  const auto ends_comment = [](std::string_view text) {
    return text.find("*/") != std::string_view::npos;
  };
  if (ends_comment(part) && !ends_comment(old_part)) return false;
  Syntax fresh = ReadSyntax(part);
  if (!IsOnlyInstructions(part, fresh, has_head)) return false;
  if (has_head && (fresh.computations[0].is_entry != comp.is_entry ||
                   fresh.computations[0].begin + begin != comp.begin)) {
    return false;
  }
  const auto word_after = [&](size_t byte) {
    return static_cast<size_t>(
        std::lower_bound(syntax.words.begin(), syntax.words.end(), byte,
                         [](const Word& word, size_t at) { return word.begin < at; }) -
        syntax.words.begin());
  };
  const size_t first_word = word_after(begin);
  const size_t last_word = word_after(old_end);
  const auto first_inst = static_cast<size_t>(first - insts.begin());
  const auto last_inst = static_cast<size_t>(last - insts.begin());
  const auto comp_row = static_cast<uint32_t>(comp_at - syntax.computations.begin());
  for (Word& word : fresh.words) {
    word.begin += static_cast<uint32_t>(begin);
    Move(static_cast<uint32_t>(first_inst), word.instruction);
  }
  for (InstructionSyntax& inst : fresh.instructions) {
    inst.begin += static_cast<uint32_t>(begin);
    inst.end += static_cast<uint32_t>(begin);
    if (inst.operands != 0) inst.operands += static_cast<uint32_t>(begin);
    if (inst.operands_end != 0) inst.operands_end += static_cast<uint32_t>(begin);
    Move(static_cast<uint32_t>(first_word), inst.name);
    Move(static_cast<uint32_t>(first_word), inst.opcode);
    inst.computation = comp_row;
  }
  const Shift shift = {static_cast<uint32_t>(new_end - old_end),
                       static_cast<uint32_t>(fresh.words.size() - (last_word - first_word)),
                       static_cast<uint32_t>(fresh.instructions.size() - (last_inst - first_inst))};
  for (size_t i = last_word; i < syntax.words.size(); ++i) {
    syntax.words[i].begin += shift.bytes;
    Move(shift.instructions, syntax.words[i].instruction);
  }
  for (size_t i = last_inst; i < insts.size(); ++i) {
    InstructionSyntax& inst = insts[i];
    inst.begin += shift.bytes;
    inst.end += shift.bytes;
    if (inst.operands != 0) inst.operands += shift.bytes;
    if (inst.operands_end != 0) inst.operands_end += shift.bytes;
    Move(shift.words, inst.name);
    Move(shift.words, inst.opcode);
  }
  comp.count += shift.instructions;
  comp.end += shift.bytes;
  if (has_head) {
    comp.name = fresh.computations[0].name;
    Move(static_cast<uint32_t>(first_word), comp.name);
  }
  for (size_t i = comp_row + 1; i < syntax.computations.size(); ++i) {
    ComputationSyntax& later = syntax.computations[i];
    later.begin += shift.bytes;
    later.end += shift.bytes;
    later.first += shift.instructions;
    Move(shift.words, later.name);
  }
  Splice(first_word, last_word, fresh.words, syntax.words);
  change = {begin,
            old_end,
            new_end,
            static_cast<uint32_t>(first_inst),
            static_cast<uint32_t>(fresh.instructions.size()),
            has_head};
  Splice(first_inst, last_inst, fresh.instructions, insts);
  return true;
}

}  // namespace halo::lsp
