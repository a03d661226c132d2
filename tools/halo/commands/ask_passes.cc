// Selects a module of the dump as every command does; its stage does not matter.
#include "tools/halo/commands/ask_passes.h"

#include "halo/api/document/command_documents.h"
#include "halo/base/json/json_reader.h"
#include "halo/describe/write_json.h"
#include "halo/dump/dump.h"
#include "halo/dump/select.h"
#include "halo/view/ask/pass_list.h"
#include "tools/halo/session/dump_inputs.h"
#include "tools/halo/session/json_output.h"

namespace halo::tool {

bool IsPassesRequest(std::string_view request) {
  if (request == "passes") return true;
  const std::optional<JsonValue> json = ParseJson(request);
  return json && (*json)["ask"].AsString() == "passes";
}

void PrintPasses(const std::string& path, Session& session) {
  const Result<Dump> dump = OpenDump(path, session);
  if (!dump) return Refuse(dump.error(), path, session);
  const Result<Selection> selection = SelectFromDump(*dump, session.choice);
  if (!selection) return Refuse(selection.error(), path, session);
  const auto module = static_cast<size_t>(selection->chosen.front().module);
  JsonWriter json;
  describe::BeginDocument<documents::AskResult>(json);
  documents::AskResult result;
  result.ok = true;
  describe::WriteFields(result, json);
  view::ListPasses(*dump, dump->modules[module], json);
  json.EndObject();
  PrintJson(json.view(), session);
}

}  // namespace halo::tool
