// The head of an HTTP/1.x request, parsed strictly: anything unusual is rejected, because only
// browsers talk to `halo view` and only clients of its protocol to `halo mcp`.
#ifndef TOOLS_HALO_SERVE_HTTP_REQUEST_H_
#define TOOLS_HALO_SERVE_HTTP_REQUEST_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace halo::tool {

inline constexpr size_t kMaxHttpHead = size_t{16} << 10;
inline constexpr size_t kMaxHttpBody = size_t{1} << 20;

struct HttpRequest {
  std::string method;  // GET, HEAD or POST
  std::string path;    // starts with '/', without escapes
  std::string query;   // after '?', unchanged
  std::string host;
  std::string origin;         // empty if not specified
  std::string authorization;  // likewise
  std::string accept;         // likewise
  size_t content_length = 0;
  std::string body;
};

// Returns the status to reject with, or 0 and fills in the request except for its body. `head` ends
// with the blank line.
int ReadHttpHead(std::string_view head, HttpRequest& request);

// The value of a name in a query; empty if the name is absent.
std::string_view QueryValue(std::string_view query, std::string_view name);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_REQUEST_H_
