// Scans one instruction's line; brackets are the only structure it trusts.
#include "halo/memory/check/check_line.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace halo::check {
namespace {

// The offset past the bracket that closes the one at `at`; the end of the text if there is none.
size_t SkipBrackets(std::string_view text, size_t at) {
  int64_t depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '(' || c == '{' || c == '[') ++depth;
    if ((c == ')' || c == '}' || c == ']') && --depth == 0) return at + 1;
  }
  return text.size();
}

// Operands are separated by commas outside all brackets.
int64_t CountOperands(std::string_view list) {
  if (list.find_first_not_of(' ') == std::string_view::npos) return 0;
  int64_t count = 1;
  int64_t depth = 0;
  for (const char c : list) {
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) ++count;
  }
  return count;
}

// Parses "{1, 0}" or "(2", whatever separates the numbers.
bool TakeNumbers(std::string_view& text, char open, char close, std::vector<int64_t>& out) {
  const size_t begin = text.find(open);
  if (begin == std::string_view::npos) return false;
  const size_t end = text.find(close, begin);
  if (end == std::string_view::npos) return false;
  for (size_t at = begin + 1; at < end;) {
    int64_t number = 0;
    const auto [next, error] = std::from_chars(text.data() + at, text.data() + end, number);
    if (error == std::errc()) {
      out.push_back(number);
      at = static_cast<size_t>(next - text.data());
    } else {
      ++at;
    }
  }
  text.remove_prefix(end + 1);
  return true;
}

// {{0}: (1, {}), {1}: (0, {2}, must-alias)}
void ReadAliasing(std::string_view text, std::vector<LinePair>& out) {
  while (text.find('(') != std::string_view::npos) {
    LinePair pair;
    std::vector<int64_t> number;
    if (!TakeNumbers(text, '{', '}', pair.output_index)) return;
    if (!TakeNumbers(text, '(', ',', number) || number.size() != 1) return;
    if (!TakeNumbers(text, '{', '}', pair.operand_index)) return;
    pair.operand = number[0];
    out.push_back(std::move(pair));
  }
}

}  // namespace

InstLine ReadInstLine(std::string_view line) {
  InstLine result;
  size_t at = line.find(" = ");
  if (at == std::string_view::npos) return result;
  at += 3;
  if (at < line.size() && line[at] == '(') {
    at = SkipBrackets(line, at);
  } else {
    while (at < line.size() && line[at] != ' ') ++at;
  }
  while (at < line.size() && line[at] == ' ') ++at;
  const size_t open = line.find('(', at);
  if (open == std::string_view::npos) return result;
  const std::string_view opcode = line.substr(at, open - at);
  result.opcode = OpcodeFromText(opcode);
  // "slice-start" is shorthand for an async-start; copy-start and the like are separate ops.
  result.is_async = result.opcode == Opcode::kAsyncStart || result.opcode == Opcode::kAsyncUpdate ||
                    (!result.opcode && (opcode.ends_with("-start") || opcode.ends_with("-update")));
  const size_t close = SkipBrackets(line, open);
  if (close > open + 1) result.operands = CountOperands(line.substr(open + 1, close - open - 2));
  result.joins_pieces =
      line.find("custom_call_target=\"ConcatBitcast\"", close) != std::string_view::npos;
  constexpr std::string_view kAliasing = "output_to_operand_aliasing=";
  const size_t aliasing = line.find(kAliasing, close);
  if (aliasing != std::string_view::npos) {
    const size_t begin = aliasing + kAliasing.size();
    const size_t end = SkipBrackets(line, begin);
    if (end > begin + 2) ReadAliasing(line.substr(begin + 1, end - begin - 2), result.aliasing);
  }
  return result;
}

void PairsOfLine(const InstLine& line, std::span<const int64_t> output_index,
                 std::vector<LinePair>& out) {
  for (const LinePair& pair : line.aliasing) {
    if (std::ranges::equal(pair.output_index, output_index)) out.push_back(pair);
  }
  if (!line.opcode) return;
  const std::vector<int64_t> index(output_index.begin(), output_index.end());
  switch (*line.opcode) {
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kSetDimensionSize:
    case Opcode::kWhile:
      if (*line.opcode == Opcode::kWhile || index.empty()) out.push_back({0, {}, index});
      if (*line.opcode == Opcode::kWhile) out.back().operand_index = index;
      return;
    case Opcode::kRaggedAllToAll: out.push_back({1, {}, index}); return;
    case Opcode::kScatter:
      if (line.operands == 3 && index.empty()) out.push_back({0, {}, index});
      if (line.operands > 3 && index.size() == 1) out.push_back({index[0], {}, index});
      return;
    case Opcode::kAllReduceStart:
      if (line.operands == 1 && index.empty()) out.push_back({0, {}, index});
      if (line.operands > 1 && index.size() == 1) out.push_back({index[0], {}, index});
      return;
    default: return;
  }
}

}  // namespace halo::check
