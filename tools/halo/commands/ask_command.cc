// `halo ask`: the viewer's requests on the command line, for scripts, tests and other programs.
#include <algorithm>
#include <cctype>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/describe/bad_request.h"
#include "halo/api/describe/result_parts.h"
#include "halo/api/document/command_documents.h"
#include "halo/base/json/json_reader.h"
#include "halo/describe/write_json.h"
#include "halo/dump/open_file.h"
#include "halo/view/ask/host.h"
#include "halo/view/model/response.h"
#include "tools/halo/commands/ask_passes.h"
#include "tools/halo/session/dump_inputs.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

struct AskFlags {
  std::string request;
  std::vector<std::string> against;
};

// A request without parameters may be given by its name alone.
std::string AskedRequest(const std::string& given) {
  const bool is_name =
      !given.empty() && std::all_of(given.begin(), given.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '_';
      });
  return is_name ? fmt::format("{{\"ask\":\"{}\"}}", given) : given;
}

// Why a request failed; empty if it did not. Results can be large, so only failures are parsed.
std::string ProblemOf(std::string_view block) {
  constexpr std::string_view kFailed = "\"ok\": false";
  constexpr size_t kHead = 32;
  if (block.substr(0, kHead).find(kFailed) == std::string_view::npos) return {};
  const std::string plain = view::PlainJson(block);
  return std::string(ParseJson(plain).value_or(JsonValue())["error"].AsString("it failed"));
}

// The result's own fields beside those of every document.
std::string AskJson(const std::vector<std::shared_ptr<const Document>>& opened,
                    std::string_view block, std::string_view problem) {
  v0::ResultParts parts;
  for (const auto& document : opened) {
    parts.inputs.push_back(InputOf(*document));
    AppendReadingDiagnostics(*document, parts.diagnostics);
  }
  if (!problem.empty()) {
    parts.diagnostics.push_back(
        PublicDiagnostic(MakeBinaryDiagnostic(kBadRequest, 0, std::string(problem)), ""));
  }
  JsonWriter json;
  describe::BeginDocument<documents::AskResult>(json);
  describe::WriteFields(parts, json);
  view::PlainFields(block, json);
  json.EndObject();
  return std::string(json.view());
}

// Opens the files of one program; returns 0 if one of them cannot be opened.
uint32_t OpenProgram(const std::vector<std::string>& paths, view::ViewHost& host,
                     std::vector<std::shared_ptr<const Document>>& documents, Session& session) {
  uint32_t first = 0;
  for (const std::string& path : paths) {
    Result<SourceBuffer> source = OpenDumpFile(path);
    if (!source) {
      Refuse(source.error(), path, session);
      return 0;
    }
    documents.push_back(std::make_shared<const Document>(
        ReadDocument(std::move(source), path == "-" ? "<stdin>" : path, {.keep_source = true})));
    const uint32_t document = host.Open(documents.back());
    if (first == 0) {
      first = document;
    } else {
      host.Pair(first, document);
    }
  }
  return first;
}

void RunAsk(const AskFlags& options, Session& session) {
  session.json = true;
  if (IsPassesRequest(options.request)) return PrintPasses(session.files.front(), session);
  view::ViewHost host;
  std::vector<std::shared_ptr<const Document>> documents;
  const uint32_t first = OpenProgram(session.files, host, documents, session);
  if (first == 0) return;
  uint32_t against = 0;
  if (!options.against.empty()) {
    against = OpenProgram(options.against, host, documents, session);
    if (against == 0) return;
  }
  const std::string block = host.Ask(first, AskedRequest(options.request), against);
  const std::string problem = ProblemOf(block);
  if (!problem.empty()) session.Worsen(kExitUnusable);
  PrintJson(AskJson(documents, block, problem), session);
}

}  // namespace

void AddAskCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<AskFlags>();
  CLI::App* command =
      app.add_subcommand("ask", "Send a request to the viewer's core and print the result as JSON");
  command
      ->add_option("REQUEST", options->request,
                   "The name of a request, such as overview, or a request with parameters in JSON; "
                   "viewer/protocol.md lists all requests")
      ->required();
  command
      ->add_option("FILE", session.files,
                   "A module, the files of its buffer assignment, or both; a dump directory or a "
                   ".tar archive of one; - for standard input")
      ->required();
  command
      ->add_option("--against", options->against,
                   "Files of the earlier program, for requests about two")
      ->type_name("FILE")
      ->group(kInputOptions);
  command->add_flag("--json", session.json, "Accepted as everywhere; the result is always JSON")
      ->group(kOutputOptions);
  AddDumpOptions(*command, session, DumpWants::kProgram, false);
  // What passes changed is a question about the whole dump.
  command->parse_complete_callback([options, &session] {
    if (!IsPassesRequest(options->request)) ResolveDumps(session, DumpWants::kProgram, false);
  });
  command->footer(
      "The result is JSON with all arrays written out. If the request fails, \"ok\" is false and "
      "the exit code is 2.\n\n"
      "Examples:\n"
      "  halo ask overview dump\n"
      "  halo ask '{\"ask\":\"search\",\"query\":\"opcode:dot f32[8\"}' step.txt\n"
      "  halo ask '{\"ask\":\"inst\",\"inst\":120}' step.txt\n"
      "  halo ask '{\"ask\":\"memory.groups\",\"by\":\"scope\"}' step.txt "
      "step-buffer-assignment.txt\n"
      "  halo ask diff new.txt --against old.txt     # what changed between two programs\n"
      "  halo ask passes dump                        # what each pass of a dump changed");
  command->callback([options, &session] { RunAsk(*options, session); });
}

}  // namespace halo::tool
