// Lines end with CR LF and names are tokens; folding, escapes and chunked bodies are not supported.
#include "tools/halo/serve/http_request.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace halo::tool {
namespace {

constexpr size_t kMaxFields = 64;
constexpr int kBadRequest = 400;

bool IsTokenChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

bool EqualName(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [&](char x, char y) { return lower(x) == lower(y); });
}

// The served paths need no escapes, dots or doubled slashes.
bool IsPlainPath(std::string_view path) {
  if (!path.starts_with('/') || path.find("//") != std::string_view::npos ||
      path.find("..") != std::string_view::npos) {
    return false;
  }
  return std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '/' ||
           c == '.' || c == '-' || c == '_';
  });
}

int ReadRequestLine(std::string_view line, HttpRequest& request) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return kBadRequest;
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return 505;
  request.method = line.substr(0, first);
  if (!IsToken(request.method)) return kBadRequest;
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") return 405;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  const bool plain = std::all_of(request.query.begin(), request.query.end(),
                                 [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
  return plain && IsPlainPath(request.path) ? 0 : kBadRequest;
}

}  // namespace

int ReadHttpHead(std::string_view head, HttpRequest& request) {
  if (head.size() > kMaxHttpHead) return 431;
  if (!head.ends_with("\r\n\r\n") || head.find('\0') != std::string_view::npos) return kBadRequest;
  size_t fields = 0;
  bool has_host = false;
  bool has_origin = false;
  bool has_length = false;
  for (bool first = true; !head.empty(); first = false) {
    const size_t end = head.find("\r\n");
    if (end == std::string_view::npos) return kBadRequest;
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (line.find_first_of("\r\n") != std::string_view::npos) return kBadRequest;
    if (first) {
      if (const int status = ReadRequestLine(line, request)) return status;
      continue;
    }
    if (line.empty()) break;
    if (++fields > kMaxFields) return 431;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) return kBadRequest;
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
      value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
    if (EqualName(name, "host")) {
      if (has_host) return kBadRequest;
      has_host = true;
      request.host = value;
    } else if (EqualName(name, "origin")) {
      if (has_origin) return kBadRequest;
      has_origin = true;
      request.origin = value;
    } else if (EqualName(name, "accept")) {
      request.accept = value;
    } else if (EqualName(name, "authorization")) {
      if (!request.authorization.empty()) return kBadRequest;
      request.authorization = value;
    } else if (EqualName(name, "transfer-encoding")) {
      return 501;
    } else if (EqualName(name, "content-length")) {
      const auto [stop, error] =
          std::from_chars(value.data(), value.data() + value.size(), request.content_length);
      const bool whole = error == std::errc() && stop == value.data() + value.size();
      if (has_length || !whole) return kBadRequest;
      has_length = true;
      if (request.content_length > kMaxHttpBody) return 413;
    }
  }
  if (!head.empty() || !has_host) return kBadRequest;
  if (request.method == "POST" && !has_length) return 411;
  return 0;
}

std::string_view QueryValue(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos && part.substr(0, equals) == name) {
      return part.substr(equals + 1);
    }
  }
  return {};
}

}  // namespace halo::tool
