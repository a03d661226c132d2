// `text`: lines of a program's text. A long line is given in pieces.
#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

constexpr size_t kPiece = 1500;  // bytes of a line in one row

// The first line and the number of lines that a call asks for, from 0; false with the refusal.
bool ChooseLines(const ToolCall& call, view::ModuleView& view, int64_t& from, int64_t& count,
                 ToolReply& refusal) {
  const view::TextIndex& text = view.text();
  const Module& module = view.module();
  const int64_t all = text.line_count();
  if (const std::string_view name = call.Text("computation"); !name.empty()) {
    const std::string_view plain = name.starts_with('%') ? name.substr(1) : name;
    for (const view::TextIndex::Fold& fold : text.folds()) {
      if (module.text(module.comp(fold.comp).name) != plain) continue;
      from = fold.first;
      count = int64_t{fold.last} - fold.first + 1;
      return true;
    }
    refusal = Refuse("there is no computation " + std::string(name) + " in the text",
                     "`value` of an instruction names its computation; `text` from line 1 shows "
                     "the first ones");
    return false;
  }
  if (!call.Text("instruction").empty()) {
    const InstId id = FindInstruction(call, view, refusal);
    if (!id.valid()) return false;
    const uint32_t line = text.line_of(id);
    if (line == InstId().value) {
      refusal = Refuse("the text has no line for this instruction", "`value` prints it");
      return false;
    }
    count = call.Int("lines", 1);
    from = std::max<int64_t>(0, int64_t{line} - (count - 1) / 2);
    return true;
  }
  from = call.Int("from", 1) - 1;
  count = call.Int("lines", 40);
  if (from >= 0 && from < all) return true;
  refusal = Refuse("there is no line " + std::to_string(from + 1),
                   "`from` is 1 to " + std::to_string(all));
  return false;
}

ToolReply ReplyTextLines(const ToolCall& call) {
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenWithModule(call, reply);
  if (program == nullptr) return reply;
  view::ModuleView& view = *program->module();
  int64_t from = 0, count = 0;
  if (!ChooseLines(call, view, from, count, reply)) return reply;
  const view::TextIndex& text = view.text();
  count = std::clamp<int64_t>(count, 1, int64_t{text.line_count()} - from);
  reply.conclusion = "Lines " + std::to_string(from + 1) + " to " + std::to_string(from + count) +
                     " of " + GroupedDigits(text.line_count()) +
                     (text.is_source() ? "." : ", as halo prints the module.");
  Put(reply.figures, "program", std::string_view(program->id()));
  Put(reply.figures, "lines", text.line_count());
  Put(reply.figures, "is_source", text.is_source());
  // Rows are pieces, so that no line is too long for an reply.
  std::vector<std::pair<uint32_t, size_t>> pieces;
  for (int64_t line = from; line < from + count; ++line) {
    const size_t bytes = text.line(static_cast<uint32_t>(line)).size();
    for (size_t at = 0; at == 0 || at < bytes; at += kPiece) {
      pieces.emplace_back(static_cast<uint32_t>(line), at);
    }
  }
  reply.longest_cell = kPiece;
  reply.total = pieces.size();
  reply.row = [pieces = std::move(pieces), &text](size_t i) {
    JsonValue row = MakeObject();
    Put(row, "line", pieces[i].first + 1);
    if (pieces[i].second != 0) Put(row, "column", pieces[i].second + 1);
    Put(row, "text", text.line(pieces[i].first).substr(pieces[i].second, kPiece));
    return row;
  };
  return reply;
}

}  // namespace

Tool TextTool() {
  return {"text",
          "Text of a range",
          "Lines of the program's text: a range, those around an instruction, or a computation.",
          {ProgramField(),
           {"from", FieldType::kInteger, "First line, from 1"},
           {"lines", FieldType::kInteger, "How many (default: 40; of an instruction, 1)"},
           {"instruction", FieldType::kText, "Instead of `from`: the lines around this one"},
           {"computation", FieldType::kText, "Instead of `from`: all of its lines"}},
          {ProgramIdField(),
           {"lines", FieldType::kInteger, "Of the whole text"},
           {"is_source", FieldType::kBool, "False: the file is no text; printed by halo"}},
          {{"line", FieldType::kInteger, ""},
           {"column", FieldType::kInteger, "Of a piece of a long line, its first byte, from 1"},
           {"text", FieldType::kText, ""}},
          ReplyTextLines};
}

}  // namespace halo::mcp
