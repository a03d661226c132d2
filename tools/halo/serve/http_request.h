// The head of an HTTP/1.x request, read strictly: what is unusual is refused, because everything
// that talks to `halo view` is a browser.
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
  std::string path;    // from '/', without escapes
  std::string query;   // after '?', as it stands
  std::string host;
  std::string origin;  // empty if not said
  size_t content_length = 0;
  std::string body;
};

// The status to refuse with, or 0 and the request but for its body. `head` ends with the blank
// line.
int ReadHttpHead(std::string_view head, HttpRequest& request);

// The value of a name in a query; empty if it is not there.
std::string_view QueryValue(std::string_view query, std::string_view name);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_REQUEST_H_
