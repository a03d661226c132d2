// `halo view`: runs the viewer on this machine; the files of a dump are fetched when they are
// viewed.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/describe/result_parts.h"
#include "halo/api/document/command_documents.h"
#include "halo/describe/write_json.h"
#include "tools/halo/serve/http_server.h"
#include "tools/halo/serve/secret.h"
#include "tools/halo/serve/stop_signals.h"
#include "tools/halo/serve/view_site.h"
#include "tools/halo/serve/viewer_page.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

struct ViewFlags {
  std::string input;
  std::string page;
  std::vector<std::string> profiles;
  std::string against;
  int port = 0;
  bool follow = false;
};

void RunView(const ViewFlags& options, Session& session) {
  session.files = {options.input};
  DumpOptions how;
  how.walk.follow = options.follow;
  Result<Dump> dump = IndexDump(options.input, how);
  if (!dump) return Refuse(dump.error(), options.input, session);
  const Result<Selection> selection = SelectFromDump(*dump, session.choice);
  if (!selection) return Refuse(selection.error(), options.input, session);
  if (!ProfilesAreReadable(options.profiles, session)) return;
  std::optional<Dump> against;
  if (!options.against.empty()) {
    Result<Dump> other = IndexDump(options.against, how);
    if (!other) return Refuse(other.error(), options.against, session);
    const Result<Selection> earlier = SelectFromDump(*other, {});
    if (!earlier) return Refuse(earlier.error(), options.against, session);
    against = *std::move(other);
  }
  std::optional<SourceBuffer> page = OpenViewerPage(options.page, session);
  if (!page) return;
  HttpServer server;
  if (const std::string why = server.Listen(options.port); !why.empty()) {
    return Refuse(kCannotListen,
                  fmt::format("halo view: cannot listen on port {}: {}", options.port, why),
                  session);
  }
  const std::string token = RandomToken();
  ViewSite site(std::move(*dump), std::move(against), how, session.choice, options.profiles,
                std::move(*page), token);
  site.SetPort(server.port());
  // Must come before the address is printed: its reader may terminate this process at once.
  const int stop = CatchStopSignals();
  const std::string url = fmt::format("http://127.0.0.1:{}/{}/", server.port(), token);
  if (session.json) {
    documents::ViewResult result;
    result.inputs.push_back(InputOf(options.input));
    result.url = url;
    result.port = server.port();
    PrintJson(describe::DocumentJson(result), session);
  } else {
    session.console.Out(url + "\n");
    session.console.Err(
        "only accessible from this machine with this address; press Ctrl-C to stop\n");
  }
  std::fflush(stdout);
  const auto answer = [&site](const HttpRequest& request, const auto& reply) {
    reply->Send(site.Respond(request));
  };
  const auto gate = [&site](const HttpRequest& request) { return site.Refusal(request); };
  // What still works on an answer uses the site.
  if (!server.Serve({gate, answer}, stop)) std::_Exit(kExitOk);
}

}  // namespace

void AddViewCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<ViewFlags>();
  CLI::App* command =
      app.add_subcommand("view", "Serve the viewer for a dump directory on this machine");
  command
      ->add_option("DIR", options->input,
                   "A dump directory, an archive of one, or one of its files")
      ->required();
  command->option_defaults()->group("Server");
  command
      ->add_option("--port", options->port,
                   "Port on the loopback interface (default: any free port)")
      ->check(CLI::Range(1, 65535));
  command->option_defaults()->group(kInputOptions);
  command->add_option("--module", session.choice.module, "Module that is shown first");
  command->add_option("--stage", session.choice.stage, "Stage of the module");
  command->add_option("--rank", session.choice.rank,
                      "Rank, if each rank has a folder: the folder's name or number");
  command
      ->add_option("--profile", options->profiles,
                   "Show what this profile measured beside the predicted times; a file as of halo "
                   "time --profile; may be given several times")
      ->type_name("PROFILE")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--against", options->against,
                   "An earlier program to compare with: a dump directory or one of its files")
      ->type_name("DIR");
  command->add_flag("--follow", options->follow,
                    "Follow symbolic links that point outside the folder");
  command
      ->add_option("--page", options->page, "HTML page of the viewer (default: the installed one)")
      ->type_name("FILE")
      ->group("Server");
  command->add_flag("--json", session.json, "Print the address as JSON")->group(kOutputOptions);
  command->footer(
      "Prints an address with a secret token; open it in a browser on this machine. No data leaves "
      "it.\n\n"
      "Examples:\n"
      "  halo view dump\n"
      "  halo view new --against old\n"
      "  halo view dump --profile host.xplane.pb");
  command->callback([options, &session] { RunView(*options, session); });
}

}  // namespace halo::tool
