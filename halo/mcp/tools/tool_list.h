// Every tool of the server, in the order in which clients see them. Each is defined in the file of
// its family.
#ifndef HALO_MCP_TOOLS_TOOL_LIST_H_
#define HALO_MCP_TOOLS_TOOL_LIST_H_

#include <string_view>
#include <vector>

#include "halo/mcp/reply/tool.h"

namespace halo::mcp {

const std::vector<Tool>& AllTools();
// Null if there is no such tool.
const Tool* FindTool(std::string_view name);

Tool OpenTool();
Tool ListTool();
Tool InfoTool();
Tool MemoryTool();
Tool TimeTool();
Tool DiffTool();
Tool CheckTool();
Tool SearchTool();
Tool ValueTool();
Tool NeighbourhoodTool();
Tool TextTool();
Tool RunTool();
Tool CompareTool();
Tool AdviceTool();

}  // namespace halo::mcp

#endif  // HALO_MCP_TOOLS_TOOL_LIST_H_
