// An answer to an HTTP request, and the lines in front of its body.
#ifndef TOOLS_HALO_SERVE_HTTP_RESPONSE_H_
#define TOOLS_HALO_SERVE_HTTP_RESPONSE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halo::tool {

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string_view bytes;       // sent instead of the body if not empty; kept alive by `owner`
  std::shared_ptr<void> owner;  // may be null
  size_t owned = 0;             // bytes of memory that the owner takes; none for a mapped file
  std::vector<std::pair<std::string, std::string>> headers;

  [[nodiscard]] std::string_view content() const {
    return bytes.empty() ? std::string_view(body) : bytes;
  }
  [[nodiscard]] size_t memory() const { return body.size() + owned; }
};

// A refusal with one line that says why; without it, the status in words.
HttpResponse HttpRefusal(int status, std::string_view why = {});

// What precedes the body. A stream has no length: it ends with the connection.
std::string HttpResponseHead(const HttpResponse& response, bool is_stream);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_RESPONSE_H_
