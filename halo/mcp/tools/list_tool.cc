// `list`: the programs below a folder, the stages of one module, or files.
#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

// A stage as a row: the file to name, and what it is.
JsonValue StageRow(const Dump& dump, const DumpModule& module, const DumpStage& stage,
                   const Roots& roots) {
  JsonValue row = MakeObject();
  int32_t file = dump.ModuleFileOf(stage);
  const std::vector<int32_t> pieces = dump.AssignmentOf(stage);
  if (file < 0 && !pieces.empty()) file = pieces.front();
  if (file < 0 && !stage.files.empty()) file = stage.files.front();
  if (file >= 0) {
    Put(row, "program", std::string_view(roots.Shown(dump.PathOf(file))));
    Put(row, "bytes", dump.files[static_cast<size_t>(file)].bytes);
  }
  Put(row, "module", std::string_view(module.name));
  Put(row, "stage", stage.label());
  PutIfAny(row, "backend", module.backend);
  Put(row, "assignment", !pieces.empty());
  return row;
}

ToolReply ListStages(const ToolCall& call, const Dump& dump) {
  const Result<Selection> selection =
      SelectFromDump(dump, {.module = std::string(call.Text("module")), .stage = "all"});
  if (!selection) return Refuse(selection.error());
  ToolReply reply;
  const DumpModule& first = dump.modules[static_cast<size_t>(selection->chosen.front().module)];
  reply.conclusion = first.name + ": " +
                     Counted(static_cast<int64_t>(selection->chosen.size()), "stage") +
                     " in the dump.";
  std::vector<JsonValue> rows;
  for (const Chosen& chosen : selection->chosen) {
    const DumpModule& module = dump.modules[static_cast<size_t>(chosen.module)];
    rows.push_back(StageRow(dump, module, module.stages[static_cast<size_t>(chosen.stage)],
                            call.workspace.roots()));
  }
  reply.total = rows.size();
  reply.row = [rows](size_t i) { return rows[i]; };
  return reply;
}

ToolReply ListFiles(const ToolCall& call, const Dump& dump) {
  ToolReply reply;
  reply.conclusion = Counted(static_cast<int64_t>(dump.files.size()), "file") + ", " +
                     HumanBytes(static_cast<int64_t>(dump.bytes)) + ", in " +
                     call.workspace.roots().Shown(dump.root) + ".";
  std::vector<JsonValue> rows;
  for (size_t i = 0; i < dump.files.size(); ++i) {
    JsonValue row = MakeObject();
    Put(row, "program",
        std::string_view(call.workspace.roots().Shown(dump.PathOf(static_cast<int32_t>(i)))));
    Put(row, "bytes", dump.files[i].bytes);
    Put(row, "role", TextOf(dump.files[i].file_role));
    rows.push_back(std::move(row));
  }
  reply.total = rows.size();
  reply.row = [rows = std::move(rows)](size_t i) { return rows[i]; };
  return reply;
}

ToolReply ListPrograms(const ToolCall& call, const Dump& dump) {
  std::vector<JsonValue> rows;
  for (const DumpModule& module : dump.modules) {
    const int32_t stage = MainStage(dump, module);
    if (stage < 0) continue;
    JsonValue row =
        StageRow(dump, module, module.stages[static_cast<size_t>(stage)], call.workspace.roots());
    Put(row, "stages", module.stages.size());
    rows.push_back(std::move(row));
  }
  // The largest are asked about most.
  std::sort(rows.begin(), rows.end(), [](const JsonValue& a, const JsonValue& b) {
    const int64_t bytes_a = a["bytes"].AsInt(0), bytes_b = b["bytes"].AsInt(0);
    return bytes_a != bytes_b ? bytes_a > bytes_b : a["program"].text < b["program"].text;
  });
  ToolReply reply;
  reply.conclusion = Counted(static_cast<int64_t>(rows.size()), "program") + " in " +
                     Counted(static_cast<int64_t>(dump.files.size()), "file") + " below " +
                     call.workspace.roots().Shown(dump.root) + ", the largest first.";
  if (rows.empty()) reply.next = {"list with rows: \"files\", for every file"};
  reply.total = rows.size();
  reply.row = [rows = std::move(rows)](size_t i) { return rows[i]; };
  return reply;
}

// Several folders are listed by name; each is listed by a separate request.
ToolReply ListFolders(const Roots& roots) {
  ToolReply reply;
  reply.conclusion = Counted(static_cast<int64_t>(roots.folders().size()), "folder") +
                     " can be read; ask `list` with one of them as the path.";
  reply.total = roots.folders().size();
  const std::vector<std::string> folders = roots.folders();
  reply.row = [folders](size_t i) {
    JsonValue row = MakeObject();
    Put(row, "program", std::string_view(folders[i]));
    return row;
  };
  return reply;
}

ToolReply ReplyList(const ToolCall& call) {
  const Roots& roots = call.workspace.roots();
  if (call.Text("path").empty() && roots.folders().size() > 1) return ListFolders(roots);
  const Result<std::string> path = roots.Resolve(call.Text("path"));
  if (!path) return Refuse(path.error());
  call.progress("indexing " + roots.Shown(*path));
  const Result<Dump> dump = Workspace::Index(*path);
  if (!dump) return Refuse(dump.error());
  ToolReply reply = !call.Text("module").empty()   ? ListStages(call, *dump)
                    : call.Text("rows") == "files" ? ListFiles(call, *dump)
                                                   : ListPrograms(call, *dump);
  if (dump->links_outside != 0) {
    Put(reply.figures, "links_left_out", dump->links_outside);
  }
  return reply;
}

}  // namespace

Tool ListTool() {
  return {"list",
          "List programs",
          "Lists the programs below a folder or in an archive, the stages of one module, or all "
          "files. Start here if you have no path.",
          {{"path", FieldType::kText, "A folder or an archive (default: what the server may read)"},
           {"module", FieldType::kText, "List the stages of this module"},
           {"rows", FieldType::kText, "What to list", false, {"programs", "files"}}},
          {{"links_left_out", FieldType::kInteger, "Links that lead out of the folder"}},
          {{"program", FieldType::kText, "Id for the other tools"},
           {"bytes", FieldType::kInteger, ""},
           {"module", FieldType::kText, ""},
           {"stage", FieldType::kText, ""},
           {"backend", FieldType::kText, ""},
           {"assignment", FieldType::kBool, "XLA's buffer assignment is there"},
           {"stages", FieldType::kInteger, ""},
           {"role", FieldType::kText, ""}},
          ReplyList};
}

}  // namespace halo::mcp
