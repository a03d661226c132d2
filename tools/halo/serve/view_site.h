// What `halo view` serves: the viewer's page for a dump, and its files on demand. Every address
// starts with a token that only the user has seen; requests refer to files by number, never by
// path.
#ifndef TOOLS_HALO_SERVE_VIEW_SITE_H_
#define TOOLS_HALO_SERVE_VIEW_SITE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/api/report/report.h"
#include "halo/base/io/source_buffer.h"
#include "halo/dump/dump.h"
#include "halo/view/ask/host.h"
#include "tools/halo/serve/http_request.h"
#include "tools/halo/serve/http_response.h"

namespace halo::tool {

class ViewSite {
 public:
  // `profiles` are opened with every program.
  // With `against`, the programs are compared with it, and the page opens at what changed.
  ViewSite(Dump dump, std::optional<Dump> against, DumpOptions how, DumpChoice choice,
           std::vector<std::string> profiles, SourceBuffer page, std::string token);

  // Sets the hosts under which the page may be requested: a name that merely resolves to this
  // machine is rejected.
  void SetPort(int port);
  // The refusal of a request that does not come from the user's page.
  [[nodiscard]] std::optional<HttpResponse> Refusal(const HttpRequest& request) const;
  // Answers a request that was not refused.
  HttpResponse Respond(const HttpRequest& request);

 private:
  struct State {
    Dump dump;
    std::optional<Dump> against;
    ServedPrograms served;
  };

  [[nodiscard]] std::shared_ptr<const State> state() const;
  [[nodiscard]] std::shared_ptr<const State> StateOf(Dump dump, std::optional<Dump> against) const;
  void IndexAgain();
  HttpResponse Page() const;
  HttpResponse File(std::string_view number) const;
  HttpResponse Ask(const HttpRequest& request);
  // The document of a program's files.
  uint32_t Opened(const std::vector<ServedPrograms::File>& files);
  [[nodiscard]] std::vector<ServedPrograms::File> FilesOf(const State& state, size_t program) const;

  DumpOptions how_;
  DumpChoice choice_;
  std::vector<std::string> profiles_;
  SourceBuffer page_;
  std::string policy_;
  std::string token_;
  std::vector<std::string> hosts_;
  mutable std::mutex mutex_;
  std::shared_ptr<const State> state_;
  struct OpenedProgram {
    std::vector<ServedPrograms::File> files;
    std::vector<uint32_t> documents;
  };
  std::mutex asking_;  // the core handles one request at a time
  view::ViewHost host_;
  std::vector<OpenedProgram> opened_;  // the most recent few, last used at the end
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_VIEW_SITE_H_
