// A small HTTP server for one user on this machine: loopback only, one request per connection, a
// bounded number at a time. Everything served comes from the handler.
#ifndef TOOLS_HALO_SERVE_HTTP_SERVER_H_
#define TOOLS_HALO_SERVE_HTTP_SERVER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/halo/serve/http_request.h"

namespace halo::tool {

// Sends a part of a body. False if the peer is gone.
using HttpWriter = std::function<bool(std::string_view)>;

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string_view bytes;       // sent instead of the body if not empty; kept alive by `owner`
  std::shared_ptr<void> owner;  // may be null
  // If set, sends the body instead, as it comes; the connection ends with it.
  std::function<void(const HttpWriter&)> stream;
  std::vector<std::pair<std::string, std::string>> headers;
};

using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

class HttpServer {
 public:
  HttpServer() = default;
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds to 127.0.0.1; port 0 picks any free port. Returns the problem, or an empty string on
  // success.
  std::string Listen(int port);
  [[nodiscard]] int port() const { return port_; }

  // Serves until `stop` is true; checks it several times a second. Then calls `ending`, which ends
  // what is under way, and waits for the connections.
  void Serve(const HttpHandler& handler, const std::atomic<bool>& stop,
             const std::function<void()>& ending = {});

 private:
  int socket_ = -1;
  int port_ = 0;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_SERVER_H_
