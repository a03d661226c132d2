// A small HTTP server for one user on this machine: loopback only, one request per connection, a
// bounded number at a time, nothing but what the handler answers.
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

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string_view bytes;       // in place of the body, if not empty; `owner` keeps them
  std::shared_ptr<void> owner;  // may be null
  std::vector<std::pair<std::string, std::string>> headers;
};

using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

class HttpServer {
 public:
  HttpServer() = default;
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds to 127.0.0.1; 0 takes any free port. The problem if it cannot, else empty.
  std::string Listen(int port);
  [[nodiscard]] int port() const { return port_; }

  // Answers until `stop` is true; looks at it several times a second.
  void Serve(const HttpHandler& handler, const std::atomic<bool>& stop);

 private:
  int socket_ = -1;
  int port_ = 0;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_SERVER_H_
