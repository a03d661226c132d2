// A page of another site can neither read the token nor send the header; Host and Origin are
// checked as well.
#include "tools/halo/mcp/mcp_http.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "halo/mcp/protocol/protocol.h"
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

constexpr std::string_view kEvents = "text/event-stream";

// What one message is answered with, which may come from another thread.
class AwaitedReply {
 public:
  void Take(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }
  void End() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }
  // The next line; nothing after the last one.
  std::optional<std::string> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_ended_ || !lines_.empty(); });
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool has_ended_ = false;
};

bool WantsEvents(const HttpRequest& request) {
  if (request.accept.find(kEvents) == std::string::npos) return false;
  const mcp::Message message = mcp::ReadMessage(request.body);
  return message.kind == mcp::Message::Kind::kRequest && !mcp::ProgressToken(message).empty();
}

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
  if (WantsEvents(request)) {
    response.type = kEvents;
    // A client that disconnects has not cancelled: it says so with a message.
    response.stream = [reply](const HttpWriter& write) {
      while (const std::optional<std::string> line = reply->Next()) {
        if (!write("event: message\ndata: " + *line + "\n\n")) return;
      }
    };
    return response;
  }
  // Without a stream, progress has nowhere to go; the answer comes last.
  while (std::optional<std::string> line = reply->Next()) response.body = std::move(*line);
  // Notifications have no reply, nor have requests that were cancelled.
  response.status = response.body.empty() ? 202 : 200;
  response.type = "application/json";
  return response;
}

}  // namespace halo::tool
