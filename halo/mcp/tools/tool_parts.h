// What several tools share: opening the program that a call names, finding one of its
// instructions, and describing an instruction in a row.
#ifndef HALO_MCP_TOOLS_TOOL_PARTS_H_
#define HALO_MCP_TOOLS_TOOL_PARTS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"
#include "halo/mcp/reply/tool.h"

namespace halo::mcp {

// The argument that names a program.
Field ProgramField(std::string_view name = "program");
// The figure that repeats its id.
Field ProgramIdField();
Field InstructionField();

// Null, with the refusal, if it cannot be opened.
std::shared_ptr<Program> OpenNamed(const ToolCall& call, ToolReply& refusal,
                                   std::string_view key = "program");
// The same for a tool that needs a module without errors that prevented reading it.
std::shared_ptr<Program> OpenWithModule(const ToolCall& call, ToolReply& refusal,
                                        std::string_view key = "program");

// The instruction that `instruction` names, with or without %. Invalid, with the refusal, if there
// is none. Of several with the name, the first of the entry computation, else the first.
InstId FindInstruction(const ToolCall& call, view::ModuleView& module, ToolReply& refusal);

// The columns that describe an instruction, and their values, added to a row.
std::vector<Field> InstructionColumns();
void PutInstruction(view::ModuleView& module, InstId inst, JsonValue& row);

// "layers/moe.py:1000"; empty if the instruction names no source.
std::string SourceOfInst(const Module& module, InstId inst);

// Identifies the analysis behind a call: its arguments but for those that choose rows.
std::string RequestKey(const ToolCall& call);

// "a, b, c"
std::string JoinNames(const std::vector<std::string_view>& names);

}  // namespace halo::mcp

#endif  // HALO_MCP_TOOLS_TOOL_PARTS_H_
