// A page of another site can neither read the token nor send the header; Host and Origin are
// checked as well.
#include "tools/halo/mcp/mcp_http.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "halo/mcp/protocol/protocol.h"
#include "tools/halo/serve/secret.h"

namespace halo::tool {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kBearer = "Bearer ";

constexpr std::string_view kEvents = "text/event-stream";

bool WantsEvents(const HttpRequest& request) {
  if (request.accept.find(kEvents) == std::string::npos) return false;
  const mcp::Message message = mcp::ReadMessage(request.body);
  return message.kind == mcp::Message::Kind::kRequest && !mcp::ProgressToken(message).empty();
}

}  // namespace

McpSite::McpSite(const QueueOptions& options, std::string token, std::vector<std::string> hosts)
    : front_(options), token_(std::move(token)), hosts_(std::move(hosts)) {}

std::optional<HttpResponse> McpSite::Refusal(const HttpRequest& request) const {
  const auto is_host = [&](std::string_view host) {
    return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
  };
  if (!is_host(request.host)) return HttpRefusal(403, "unknown host");
  const std::string_view origin = request.origin;
  if (!origin.empty() &&
      (!origin.starts_with(kScheme) || !is_host(origin.substr(kScheme.size())))) {
    return HttpRefusal(403, "the request comes from another site");
  }
  const std::string_view given = request.authorization;
  if (!given.starts_with(kBearer) || !SameSecret(given.substr(kBearer.size()), token_)) {
    return HttpRefusal(401,
                       "send the header Authorization: Bearer TOKEN with the token that "
                       "halo mcp printed");
  }
  if (request.path != "/mcp") return HttpRefusal(404, "the only address is /mcp");
  if (request.method != "POST") return HttpRefusal(405, "use POST");
  return std::nullopt;
}

void McpSite::Respond(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
  if (WantsEvents(request)) {
    // A client that disconnects has not cancelled: it says so with a message.
    HttpResponse head;
    head.type = kEvents;
    reply->Begin(std::move(head));
    const auto send = [reply](const std::string& line) {
      reply->Add("event: message\ndata: " + line + "\n\n");
    };
    return front_.Take(request.body, send, [reply] { reply->End(); });
  }
  // Without a stream, progress has nowhere to go; the answer comes last.
  const auto last = std::make_shared<std::string>();
  const auto ended = [reply, last] {
    HttpResponse response;
    // Notifications have no reply, nor have requests that were cancelled.
    response.status = last->empty() ? 202 : 200;
    response.type = "application/json";
    response.body = std::move(*last);
    reply->Send(std::move(response));
  };
  front_.Take(request.body, [last](std::string line) { *last = std::move(line); }, ended);
}

}  // namespace halo::tool
