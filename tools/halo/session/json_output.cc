// Builds the document about an error from the messages that were printed.
#include "tools/halo/session/json_output.h"

#include <algorithm>

#include "halo/api/document/json_parts.h"

namespace halo::tool {
namespace {

std::string ErrorJson(std::string_view command, const Session& session) {
  JsonWriter json;
  BeginJson("halo.error.v1", json);
  json.Field("command", command).Field("exit_code", session.exit_code);
  json.Key("inputs").BeginArray();
  for (const std::string& path : session.files) {
    json.BeginObject().Field("path", path == "-" ? "<stdin>" : path).EndObject();
  }
  json.EndArray().Key("diagnostics").BeginArray();
  for (const auto& [path, why] : session.refused) DiagnosticJson(path, why, json);
  json.EndArray().EndObject();
  return std::string(json.view());
}

}  // namespace

bool WantsJson(std::string_view command, std::span<const std::string> arguments) {
  if (command == "ask") return true;
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, "--json") != end;
}

void PrintJson(std::string_view document, Session& session) {
  session.json_is_printed = true;
  session.console.Out(document);
}

void Refuse(const DiagCode& code, std::string_view message, Session& session) {
  session.console.Err(std::string(message) + "\n");
  const size_t line = message.find('\n');  // a hint for people may follow
  Remember(MakeBinaryDiagnostic(code, 0, std::string(message.substr(0, line))), "", session);
  session.Worsen(kExitUnusable);
}

void Remember(const Diagnostic& why, std::string_view path, Session& session) {
  session.refused.emplace_back(path, why);
}

void FinishJson(std::string_view command, Session& session) {
  if (session.json && !session.json_is_printed) PrintJson(ErrorJson(command, session), session);
}

}  // namespace halo::tool
