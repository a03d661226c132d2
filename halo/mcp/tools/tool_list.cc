// The tables are made once.
#include "halo/mcp/tools/tool_list.h"

namespace halo::mcp {

const std::vector<Tool>& AllTools() {
  static const std::vector<Tool> kAll = {
      OpenTool(), ListTool(),  InfoTool(),    MemoryTool(), TimeTool(),
      DiffTool(), CheckTool(), SearchTool(),  ValueTool(),  NeighbourhoodTool(),
      TextTool(), RunTool(),   CompareTool(), AdviceTool(),
  };
  return kAll;
}

const Tool* FindTool(std::string_view name) {
  for (const Tool& tool : AllTools()) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

}  // namespace halo::mcp
