// Remembers the messages that were printed, for the document about an error.
#include "tools/halo/session/json_output.h"

#include <algorithm>

#include "halo/api/describe/result_parts.h"
#include "halo/api/document/command_documents.h"
#include "halo/describe/write_json.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {

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
  session.console.Err(Phrase("{}\n", message));
  Remember(MakeBinaryDiagnostic(code, 0, std::string(message)), "", session);
  session.Worsen(kExitUnusable);
}

void RefuseWithHint(const DiagCode& code, std::string_view message, std::string_view hint,
                    Session& session) {
  Refuse(code, message, session);
  session.console.Err(Phrase("{}\n", hint));
}

void Remember(const Diagnostic& why, std::string_view path, Session& session) {
  session.refused.emplace_back(path, why);
}

void FinishJson(std::string_view command, Session& session) {
  if (!session.json || session.json_is_printed) return;
  documents::ErrorResult result;
  result.command = command;
  result.exit_code = session.exit_code;
  for (const std::string& path : session.files) {
    result.inputs.push_back(InputOf(path == "-" ? "<stdin>" : path));
  }
  for (const auto& [path, why] : session.refused) {
    result.diagnostics.push_back(PublicDiagnostic(why, path));
  }
  PrintJson(describe::DocumentJson(result), session);
}

}  // namespace halo::tool
