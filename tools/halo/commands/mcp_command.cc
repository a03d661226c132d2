// `halo mcp`: serves the tools of halo/mcp to an agent, over standard input and output or HTTP.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/describe/result_parts.h"
#include "halo/api/document/command_documents.h"
#include "halo/describe/write_json.h"
#include "tools/halo/mcp/mcp_front.h"
#include "tools/halo/mcp/mcp_http.h"
#include "tools/halo/mcp/mcp_worker.h"
#include "tools/halo/serve/http_server.h"
#include "tools/halo/serve/secret.h"
#include "tools/halo/serve/stop_signals.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"

namespace halo::tool {
namespace {

struct McpFlags {
  QueueOptions queue;
  bool http = false;
  int port = 0;
  std::string token;
  bool worker = false;
};

void ServeHttp(const McpFlags& flags, Session& session) {
  HttpServer server;
  if (const std::string why = server.Listen(flags.port); !why.empty()) {
    return Refuse(kCannotListen,
                  fmt::format("halo mcp: cannot listen on port {}: {}", flags.port, why), session);
  }
  const std::string token = flags.token.empty() ? RandomToken() : flags.token;
  McpSite site(
      flags.queue, token,
      {fmt::format("127.0.0.1:{}", server.port()), fmt::format("localhost:{}", server.port())});
  const int stop = CatchStopSignals();
  std::signal(SIGPIPE, SIG_IGN);
  const std::string url = fmt::format("http://127.0.0.1:{}/mcp", server.port());
  if (session.json) {
    documents::McpResult result;
    result.inputs.push_back(InputOf(flags.queue.roots.front()));
    result.url = url;
    result.port = server.port();
    result.token = token;
    PrintJson(describe::DocumentJson(result), session);
  } else {
    session.console.Out(Phrase("{}\nAuthorization: Bearer {}\n", url, token));
    session.console.Err(
        "only accessible from this machine with this token; press Ctrl-C to stop\n");
  }
  std::fflush(stdout);
  const auto answer = [&site](const HttpRequest& request, const auto& reply) {
    site.Respond(request, reply);
  };
  const auto gate = [&site](const HttpRequest& request) { return site.Refusal(request); };
  // What still works on an answer uses the site.
  if (!server.Serve({gate, answer}, stop, [&site] { site.Abandon(); })) std::_Exit(kExitOk);
}

void RunMcp(McpFlags& flags, Session& session) {
  if (flags.queue.roots.empty()) flags.queue.roots = {"."};
  Result<mcp::Roots> roots = mcp::Roots::Make(flags.queue.roots);
  if (!roots) return Refuse(roots.error(), flags.queue.roots.front(), session);
  if (flags.worker) return ServeAsWorker(*roots);
  // Links are resolved once; the worker gets the same folders.
  flags.queue.roots = roots->folders();
  if (flags.http) return ServeHttp(flags, session);
  if (session.json) {
    return Refuse(kWrongUsage,
                  "halo mcp: --json prints the address of --http; the protocol itself is JSON",
                  session);
  }
  ServeStdio(flags.queue);
}

}  // namespace

void AddMcpCommand(CLI::App& app, Session& session) {
  auto flags = std::make_shared<McpFlags>();
  CLI::App* command =
      app.add_subcommand("mcp", "Serve these answers to AI agents by the Model Context Protocol");
  command->option_defaults()->group("What it may do");
  command
      ->add_option("--root", flags->queue.roots,
                   "Folder whose files may be read; may be given several times (default: the "
                   "current one)")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  CLI::Option* run =
      command->add_flag("--allow-run", flags->queue.allow_run,
                        "Let clients run programs: `halo run` and `halo compare` in a sandbox");
  command
      ->add_flag(
          "--allow-unconfined", flags->queue.allow_unconfined,
          "With --allow-run: also start a process for each device, which has no sandbox, and "
          "run on systems that have none")
      ->needs(run);
  command->add_option("--timeout", flags->queue.timeout, "Seconds that one answer may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->option_defaults()->group("Server");
  CLI::Option* http =
      command->add_flag("--http", flags->http, "Serve by HTTP on the loopback interface");
  command
      ->add_option("--port", flags->port, "Port on the loopback interface (default: any free port)")
      ->check(CLI::Range(1, 65535))
      ->needs(http);
  command->add_option("--token", flags->token, "Secret of --http (default: a random one)")
      ->envname("HALO_MCP_TOKEN")
      ->needs(http);
  command->add_flag("--worker", flags->worker, "")->group("");
  command->add_flag("--json", session.json, "With --http: print the address as JSON")
      ->group(kOutputOptions);
  command->footer(
      "Clients start this command and talk to it by standard input and output; docs/mcp.md shows "
      "how to\n"
      "set up common ones. Files outside the folders cannot be read, and nothing runs unless "
      "allowed.\n\n"
      "Examples:\n"
      "  halo mcp --root xla_dump\n"
      "  halo mcp --root dumps --root models --allow-run\n"
      "  halo mcp --http --port 8765 --root xla_dump");
  command->callback([flags, &session] { RunMcp(*flags, session); });
}

}  // namespace halo::tool
