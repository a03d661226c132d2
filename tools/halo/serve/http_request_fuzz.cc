// Parses arbitrary bytes as request heads: parsing must terminate, and accepted requests must
// satisfy the documented guarantees.
#include <cstdint>

#include "halo/base/check.h"
#include "tools/halo/serve/http_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace halo::tool;  // NOLINT
  const std::string_view head(reinterpret_cast<const char*>(data), size);
  HttpRequest request;
  if (ReadHttpHead(head, request) != 0) return 0;
  HALO_CHECK(request.path.starts_with('/') && request.path.find("..") == std::string::npos);
  HALO_CHECK(request.content_length <= kMaxHttpBody);
  HALO_CHECK(request.method == "GET" || request.method == "HEAD" || request.method == "POST");
  QueryValue(request.query, "program");
  return 0;
}
