// Shapes are skipped by counting brackets; operands are distinguished from their shapes by the
// percent sign.
#include "halo/memory/text/printed_instruction.h"

#include <algorithm>

namespace halo {
namespace {

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

// The end of the shape at the start of a line.
size_t SkipShape(std::string_view text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '}' || text[i] == ']') depth -= depth > 0 ? 1 : 0;
    if (depth == 0 && text[i] == ' ') return i;
  }
  return text.size();
}

}  // namespace

PrintedInstruction ReadPrintedInstruction(std::string_view text) {
  PrintedInstruction line;
  const size_t equals = text.find(" = ");
  if (equals == std::string_view::npos) return line;
  text.remove_prefix(equals + 3);
  text.remove_prefix(std::min(SkipShape(text) + 1, text.size()));
  const size_t open = text.find('(');
  if (open == std::string_view::npos) return line;
  line.opcode = text.substr(0, open);
  size_t depth = 0, close = open;
  for (; close < text.size(); ++close) {
    if (text[close] == '(') ++depth;
    if (text[close] == ')' && --depth == 0) break;
  }
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  for (size_t at = inside.find('%'); at != std::string_view::npos; at = inside.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < inside.size() && IsNameChar(inside[end])) ++end;
    line.operands.push_back(inside.substr(at + 1, end - at - 1));
  }
  line.after = text.substr(std::min(close + 1, text.size()));
  return line;
}

}  // namespace halo
