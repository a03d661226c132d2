// A page of another site can neither read the token nor send the header; Host and Origin are
// checked as well.
#include "tools/halo/mcp/mcp_http.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "tools/halo/serve/secret.h"

namespace halo::tool {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kBearer = "Bearer ";

HttpResponse RefusedMessage(int status, std::string_view why) {
  HttpResponse response;
  response.status = status;
  response.body = std::string(why) + "\n";
  return response;
}

// What one message is answered with, which may come from another thread.
class AwaitedReply {
 public:
  void Take(std::string line) {
    const std::lock_guard lock(mutex_);
    // Progress comes before the answer and has nowhere to go.
    line_ = std::move(line);
  }
  void End() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }
  std::string Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_ended_; });
    return std::exchange(line_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string line_;
  bool has_ended_ = false;
};

}  // namespace

McpSite::McpSite(const QueueOptions& options, std::string token, std::vector<std::string> hosts)
    : front_(options), token_(std::move(token)), hosts_(std::move(hosts)) {}

HttpResponse McpSite::Respond(const HttpRequest& request) {
  const auto is_host = [&](std::string_view host) {
    return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
  };
  if (!is_host(request.host)) return RefusedMessage(403, "unknown host");
  const std::string_view origin = request.origin;
  if (!origin.empty() &&
      (!origin.starts_with(kScheme) || !is_host(origin.substr(kScheme.size())))) {
    return RefusedMessage(403, "the request comes from another site");
  }
  const std::string_view given = request.authorization;
  if (!given.starts_with(kBearer) || !SameSecret(given.substr(kBearer.size()), token_)) {
    return RefusedMessage(401,
                          "send the header Authorization: Bearer TOKEN with the token that "
                          "halo mcp printed");
  }
  if (request.path != "/mcp") return RefusedMessage(404, "the only address is /mcp");
  if (request.method != "POST") return RefusedMessage(405, "use POST");
  const auto reply = std::make_shared<AwaitedReply>();
  front_.Take(
      request.body, [reply](std::string line) { reply->Take(std::move(line)); },
      [reply] { reply->End(); });
  HttpResponse response;
  response.body = reply->Wait();
  // Notifications have no reply, nor have requests that were cancelled.
  response.status = response.body.empty() ? 202 : 200;
  response.type = "application/json";
  return response;
}

}  // namespace halo::tool
