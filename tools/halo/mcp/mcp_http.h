// `halo mcp --http`: the protocol's Streamable HTTP transport on the loopback interface: one
// message in the body of a POST, its answer as JSON in the response. A request that asks for
// progress is answered with a stream of events, if the client accepts that: progress first, the
// answer last. Clients cannot listen for other messages, because the server sends none.
#ifndef TOOLS_HALO_MCP_MCP_HTTP_H_
#define TOOLS_HALO_MCP_MCP_HTTP_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/halo/mcp/mcp_front.h"
#include "tools/halo/serve/http_reply.h"
#include "tools/halo/serve/http_request.h"
#include "tools/halo/serve/http_response.h"

namespace halo::tool {

class McpSite {
 public:
  // `hosts` are the names under which it may be asked, with the port.
  McpSite(const QueueOptions& options, std::string token, std::vector<std::string> hosts);

  // The refusal of a request that is no message of the user's clients.
  [[nodiscard]] std::optional<HttpResponse> Refusal(const HttpRequest& request) const;
  // Answers a request that was not refused, now or later.
  void Respond(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply);
  void Abandon() { front_.Abandon(); }

 private:
  McpFront front_;
  std::string token_;
  std::vector<std::string> hosts_;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_MCP_MCP_HTTP_H_
