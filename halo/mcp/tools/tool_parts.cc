// A name that is not found is searched for, so that the refusal can suggest similar ones.
#include "halo/mcp/tools/tool_parts.h"

#include <algorithm>

#include "halo/memory/explain/origins.h"
#include "halo/view/model/view_request.h"

namespace halo::mcp {
namespace {

constexpr std::string_view kProgramWhat =
    "Id from `open` or `list`: the path of a program, or of a dump folder or archive (its largest "
    "module is taken)";

std::string Similar(view::ModuleView& module, std::string_view name) {
  const size_t dot = name.rfind('.');
  std::string found;
  for (const std::string_view query : {name, name.substr(0, dot)}) {
    if (query.empty()) continue;
    std::vector<view::SearchMatch> matches = module.search().Find("name:" + std::string(query));
    for (size_t i = 0; i < std::min<size_t>(matches.size(), 4); ++i) {
      found += (found.empty() ? "" : ", ") +
               std::string(module.module().name_of(module.module().inst(matches[i].inst)));
    }
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace

Field ProgramField(std::string_view name) { return {name, FieldType::kText, kProgramWhat, true}; }

Field ProgramIdField() { return {"program", FieldType::kText, "Its id"}; }

Field InstructionField() {
  return {"instruction", FieldType::kText, "Name of an instruction, as in the text", true};
}

std::shared_ptr<Program> OpenNamed(const ToolCall& call, ToolReply& refusal, std::string_view key) {
  const Result<std::shared_ptr<Program>> program =
      call.workspace.Open({std::string(call.Text(key))}, call.progress);
  if (program) return *program;
  refusal = Refuse(program.error());
  return nullptr;
}

std::shared_ptr<Program> OpenWithModule(const ToolCall& call, ToolReply& refusal,
                                        std::string_view key) {
  std::shared_ptr<Program> program = OpenNamed(call, refusal, key);
  if (program == nullptr || program->module() != nullptr) return program;
  refusal = Refuse(program->id() + " is " + std::string(DescribeKind(program->document().kind)) +
                       ", not a program",
                   "ask `list` for the programs in its folder, or `check` for what is wrong with "
                   "the file");
  return nullptr;
}

InstId FindInstruction(const ToolCall& call, view::ModuleView& module, ToolReply& refusal) {
  std::string_view name = call.Text("instruction");
  if (name.starts_with('%')) name.remove_prefix(1);
  const Module& program = module.module();
  InstId found;
  for (size_t i = 0; i < program.insts.size(); ++i) {
    const Inst& inst = program.insts[i];
    if (program.name_of(inst) != name) continue;
    if (!found.valid()) found = InstId(static_cast<uint32_t>(i));
    if (inst.parent != program.entry) continue;
    return InstId(static_cast<uint32_t>(i));
  }
  if (found.valid()) return found;
  const std::string similar = Similar(module, name);
  refusal = Refuse("there is no instruction " + std::string(name),
                   similar.empty() ? "ask `search` with a part of the name, an opcode or a scope"
                                   : "similar names: " + similar +
                                         "; `search` finds others by name, opcode, shape or scope");
  return {};
}

std::vector<Field> InstructionColumns() {
  return {{"name", FieldType::kText, ""},    {"opcode", FieldType::kText, ""},
          {"shape", FieldType::kText, ""},   {"bytes", FieldType::kInteger, ""},
          {"op_name", FieldType::kText, ""}, {"source", FieldType::kText, "file:line"}};
}

std::string SourceOfInst(const Module& module, InstId inst) {
  const Origin origin = OriginOf(module, inst);
  return origin.file.empty() ? std::string() : SourceText(origin);
}

void PutInstruction(view::ModuleView& view, InstId id, JsonValue& row) {
  const Module& module = view.module();
  const Inst& inst = module.inst(id);
  Put(row, "name", module.name_of(inst));
  Put(row, "opcode", std::string_view(view::OpcodeName(module, inst)));
  Put(row, "shape", std::string_view(module.shapes.Text(inst.shape, false)));
  if (const auto bytes = module.shapes.ByteSize(inst.shape)) Put(row, "bytes", *bytes);
  PutIfAny(row, "op_name", module.MetadataText(inst, AttrKey::k_op_name));
  PutIfAny(row, "source", SourceOfInst(module, id));
}

std::string RequestKey(const ToolCall& call) {
  std::string key;
  for (size_t i = 0; i < call.arguments.keys.size(); ++i) {
    const std::string& name = call.arguments.keys[i];
    if (name == "cursor" || name == "rows" || name == "only" || name == "program") continue;
    key += name + "=" + CompactJson(call.arguments.items[i]) + ";";
  }
  return key;
}

std::string JoinNames(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view each : names) text += (text.empty() ? "" : ", ") + std::string(each);
  return text;
}

}  // namespace halo::mcp
