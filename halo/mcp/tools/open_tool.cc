// `open`: what a file is, and the id under which the other tools know it.
#include "halo/api/info/module_info.h"
#include "halo/base/strings/human_size.h"
#include "halo/mcp/reply/described.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

std::string OpenedConclusion(const v0::InfoModule& info, bool has_assignment) {
  std::string text = info.name + ": a ";
  if (info.backend.is != BackendText(std::nullopt)) text += info.backend.is + " ";
  text += "program of " + Counted(info.instructions, "instruction") + " in " +
          Counted(info.computations, "computation");
  text += info.scheduled ? ", scheduled" : ", not scheduled";
  if (info.num_partitions * info.replica_count > 1) {
    text += ", for " + Counted(info.num_partitions * info.replica_count, "device");
  }
  text += has_assignment ? ", with XLA's buffer assignment" : "";
  if (!info.collectives.empty()) {
    int64_t runs = 0;
    for (const v0::InfoCollective& each : info.collectives) runs += each.runs;
    text += "; " + Counted(runs, "collective") + " a run";
  }
  return text + ".";
}

ToolReply ReplyOpen(const ToolCall& call) {
  ProgramName name{std::string(call.Text("path"))};
  name.choice.module = call.Text("module");
  name.choice.stage = call.Text("stage");
  name.choice.rank = call.Text("rank");
  if (name.choice.module == "all" || name.choice.stage == "all") {
    return Refuse("one program at a time", "ask `list` with this path for all of them");
  }
  std::string why;
  const Result<std::shared_ptr<Program>> opened = call.workspace.Open(name, call.progress, &why);
  if (!opened) return Refuse(opened.error());
  Program& program = **opened;
  const Document& document = program.document();
  ToolReply reply;
  Put(reply.figures, "program", std::string_view(program.id()));
  PutIfAny(reply.figures, "chosen", why);
  Put(reply.figures, "kind", DescribeKind(document.kind));
  Put(reply.figures, "file_bytes", document.bytes);
  if (program.module() == nullptr) {
    reply.conclusion =
        program.id() + " is " + std::string(DescribeKind(document.kind)) + ", not a program.";
    if (program.view().has_assignment()) reply.next = {"memory: it holds a buffer assignment"};
    return reply;
  }
  view::ModuleView& module = *program.module();
  const v0::InfoModule info = DescribeModule(module.document(), module.document_module());
  reply.conclusion = OpenedConclusion(info, program.view().has_assignment());
  PutFigures(info, reply.figures);
  Put(reply.figures, "modules_in_file", document.modules.size());
  Put(reply.figures, "has_assignment", program.view().has_assignment());
  Put(reply.figures, "errors", document.errors());
  Put(reply.figures, "warnings", document.warnings());
  reply.next = {"memory: does it fit, and what is in memory at the peak",
                "time: how long it takes, what is exposed", "check: is it right"};
  return reply;
}

}  // namespace

Tool OpenTool() {
  return {"open",
          "Open a program",
          "Says what a file, dump folder or archive is and returns the id (`program`) of its "
          "program for the other tools. Start here if you have a path.",
          {{"path", FieldType::kText, "A file, a dump folder or a .tar archive of one", true},
           {"module", FieldType::kText,
            "Module of a dump: a name, a part of it or a number "
            "(default: the largest)"},
           {"stage", FieldType::kText, "before, after, a pass or its number (default: the last)"},
           {"rank", FieldType::kText, "Rank, if each has a folder"}},
          JoinFields({{ProgramIdField(),
                       {"chosen", FieldType::kText, "Why this file of the dump"},
                       {"kind", FieldType::kText, "What the file is"},
                       {"file_bytes", FieldType::kInteger, ""}},
                      FiguresOf<v0::InfoModule>(),
                      {{"modules_in_file", FieldType::kInteger, ""},
                       {"has_assignment", FieldType::kBool, "XLA's buffer assignment is there"},
                       {"errors", FieldType::kInteger, ""},
                       {"warnings", FieldType::kInteger, ""}}}),
          {},
          ReplyOpen};
}

}  // namespace halo::mcp
