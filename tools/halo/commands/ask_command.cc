// `halo ask`: the viewer's requests on the command line, for scripts, tests and other programs.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/dump/open_file.h"
#include "halo/view/ask/host.h"
#include "halo/view/model/response.h"
#include "tools/halo/commands/ask_passes.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

struct AskFlags {
  std::string request;
  std::vector<std::string> files;
};

void RunAsk(const AskFlags& options, Session& session) {
  if (IsPassesRequest(options.request)) return PrintPasses(options.files.front(), session);
  view::ViewHost host;
  uint32_t first = 0;
  for (const std::string& path : options.files) {
    Result<SourceBuffer> source = OpenDumpFile(path);
    if (!source) return Refuse(source.error(), path, session);
    const uint32_t document = host.Open(std::move(source), path == "-" ? "<stdin>" : path);
    if (first == 0) {
      first = document;
    } else {
      host.Pair(first, document);
    }
  }
  const std::string json = view::PlainJson(host.Ask(first, options.request));
  session.console.Out(json);
  if (json.find("\"ok\": false") < 8) session.Worsen(kExitUnusable);
}

}  // namespace

void AddAskCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<AskFlags>();
  CLI::App* command =
      app.add_subcommand("ask", "Send a request to the viewer's core and print the result as JSON");
  command
      ->add_option("REQUEST", options->request,
                   "The request, in JSON; viewer/protocol.md lists all requests")
      ->required();
  command
      ->add_option("FILE", options->files, "A module, the files of its buffer assignment, or both")
      ->required();
  command->footer(
      "The result is JSON with all arrays written out. If the request fails, \"ok\" is false and "
      "the exit code is 2.\n\n"
      "Examples:\n"
      "  halo ask '{\"ask\":\"search\",\"query\":\"opcode:dot f32[8\"}' step.txt\n"
      "  halo ask '{\"ask\":\"inst\",\"inst\":120}' step.txt\n"
      "  halo ask '{\"ask\":\"memory.groups\",\"by\":\"scope\"}' step.txt "
      "step-buffer-assignment.txt\n"
      "  halo ask passes dump                        # what each pass of a dump changed");
  command->callback([options, &session] { RunAsk(*options, session); });
}

}  // namespace halo::tool
