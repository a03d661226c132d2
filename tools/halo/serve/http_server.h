// A small HTTP server for one user on this machine: loopback only, one request per connection.
// One thread reads all heads and sends all answers and never waits for a client, so that slow and
// greedy ones delay no other; only whole requests that the site admits are worked on. Everything
// served comes from the site.
#ifndef TOOLS_HALO_SERVE_HTTP_SERVER_H_
#define TOOLS_HALO_SERVE_HTTP_SERVER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "tools/halo/serve/http_connection.h"
#include "tools/halo/serve/http_reply.h"
#include "tools/halo/serve/http_request.h"
#include "tools/halo/serve/http_response.h"

namespace halo::tool {

struct HttpSite {
  // Called for each head by the thread that serves, so it must be quick.
  HttpGate gate;
  // Answers a request that passed, at once or later, from any thread.
  std::function<void(const HttpRequest&, const std::shared_ptr<HttpReply>&)> answer;
};

struct HttpLimits {
  HttpDeadlines deadlines = {};
  // With more, the one that has been idle longest is closed.
  size_t connections = 512;
  // Requests that are worked on, and that wait. Further ones are answered with 503.
  size_t threads = 16;
  size_t waiting = 64;
  // Bytes of memory of answers that clients have not taken. With more, requests wait, and clients
  // that take nothing are dropped.
  size_t memory = size_t{256} << 20;
};

class HttpServer {
 public:
  explicit HttpServer(const HttpLimits& limits = {}) : limits_(limits) {}
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds to 127.0.0.1; port 0 picks any free port. Returns the problem, or an empty string on
  // success.
  std::string Listen(int port);
  [[nodiscard]] int port() const { return port_; }

  // Serves until the descriptor `stop` is readable; then closes all connections and calls `ending`,
  // which ends what is under way. False if some of it goes on: the process must then end without
  // destroying what the site uses.
  bool Serve(const HttpSite& site, int stop, const std::function<void()>& ending = {});

 private:
  HttpLimits limits_;
  int socket_ = -1;
  int port_ = 0;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_SERVER_H_
