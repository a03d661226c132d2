// Every answer forbids caching, guessing of types and use by other sites.
#include "tools/halo/serve/http_response.h"

#include <fmt/format.h>

namespace halo::tool {
namespace {

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Error";
  }
}

}  // namespace

HttpResponse HttpRefusal(int status, std::string_view why) {
  HttpResponse response;
  response.status = status;
  response.body = std::string(why.empty() ? ReasonOf(status) : why) + "\n";
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::string HttpResponseHead(const HttpResponse& response, bool is_stream) {
  const std::string length =
      is_stream ? std::string() : fmt::format("Content-Length: {}\r\n", response.content().size());
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}Connection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n",
      response.status, ReasonOf(response.status), response.type, length);
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  return head + "\r\n";
}

}  // namespace halo::tool
