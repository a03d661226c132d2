// `check`: what is wrong with the files of a program.
#include "halo/api/check/check_result.h"
#include "halo/base/strings/human_size.h"
#include "halo/mcp/reply/described.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

JsonValue NoteRow(const CheckNote& note, const std::string& file) {
  return RowOf(PublicNote(note, file));
}

ToolReply ReplyCheck(const ToolCall& call) {
  constexpr std::string_view kOthers[] = {"program", "cursor"};
  v0::CheckRequest asked;
  const std::string problem = describe::ReadRequest(call.arguments, kOthers, asked);
  if (!problem.empty()) return Refuse(problem, "the schema of `check` lists its arguments");
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenNamed(call, reply);
  if (program == nullptr) return reply;
  std::vector<JsonValue> found, minor;
  size_t errors = 0, warnings = 0;
  for (const auto& document : program->view().documents()) {
    const std::string file = call.workspace.roots().Shown(document->path);
    call.progress("checking " + file);
    const CheckedFile checked = CheckDocument(*document, OptionsOf(asked));
    errors += checked.errors;
    warnings += checked.warnings;
    const bool is_own = document == program->view().documents().front();
    for (const CheckNote& note : checked.notes) {
      const bool is_error = note.diagnostic.severity == Severity::kError;
      (is_error ? found : minor).push_back(NoteRow(note, is_own ? "" : file));
    }
  }
  found.insert(found.end(), minor.begin(), minor.end());
  reply.conclusion = program->id() + ": " + Counted(static_cast<int64_t>(errors), "error") + ", " +
                     Counted(static_cast<int64_t>(warnings), "warning") +
                     (errors == 0 ? "; it is well formed." : ".");
  Put(reply.figures, "program", std::string_view(program->id()));
  Put(reply.figures, "errors", errors);
  Put(reply.figures, "warnings", warnings);
  reply.longest_cell = 300;
  reply.total = found.size();
  reply.row = [found = std::move(found)](size_t i) { return found[i]; };
  if (errors != 0) reply.next = {"text with from: the line of an error, for the text around it"};
  return reply;
}

}  // namespace

Tool CheckTool() {
  return {"check",
          "Is it right?",
          "Everything that is wrong with the files of a program: what could not be read, rules of "
          "XLA that it breaks, an unsound buffer assignment; errors first, each with its line and "
          "advice.",
          JoinFields({{ProgramField()}, ArgumentsOf<v0::CheckRequest>()}),
          {ProgramIdField(),
           {"errors", FieldType::kInteger, ""},
           {"warnings", FieldType::kInteger, ""}},
          FiguresOf<v0::Diagnostic>(),
          ReplyCheck};
}

}  // namespace halo::mcp
