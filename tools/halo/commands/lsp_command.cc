// `halo lsp`: serves editors by the Language Server Protocol over standard input and output.
#include <cstdint>
#include <string_view>

#include <CLI/CLI.hpp>

#include "halo/api/document/command_documents.h"
#include "halo/describe/write_json.h"
#include "halo/lsp/server/lsp_server.h"
#include "tools/halo/lsp/lsp_stdio.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

void RunLsp(Session& session) {
  if (session.json) {
    documents::LspResult result;
    for (const std::string_view each : lsp::AnsweredMethods()) result.methods.emplace_back(each);
    return PrintJson(describe::DocumentJson(result), session);
  }
  if (!ServeEditor()) session.Worsen(kExitFindings);
}

}  // namespace

void AddLspCommand(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("lsp", "Serve editors by the Language Server Protocol");
  // Some clients add it; there is no other way.
  command->add_flag_function("--stdio", [](int64_t) {}, "")->group("");
  command->add_flag("--json", session.json, "List the requests that it answers as JSON and exit")
      ->group(kOutputOptions);
  command->footer(
      "Editors start this command for HLO texts and talk to it by standard input and output;\n"
      "docs/lsp.md shows how to set up VS Code, Neovim, Emacs and Helix. It reads only what the\n"
      "editor sends, and texts that XLA writes next to the edited file.\n\n"
      "Examples:\n"
      "  halo lsp\n"
      "  halo lsp --json");
  command->callback([&session] { RunLsp(session); });
}

}  // namespace halo::tool
