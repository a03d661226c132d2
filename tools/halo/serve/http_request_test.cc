// Tests heads that are accepted and heads that are rejected.
#include "tools/halo/serve/http_request.h"

#include <gtest/gtest.h>

namespace halo::tool {
namespace {

int Status(const std::string& head) {
  HttpRequest request;
  return ReadHttpHead(head, request);
}

TEST(HttpRequest, TakesWhatBrowsersSend) {
  HttpRequest request;
  EXPECT_EQ(ReadHttpHead("POST /token/ask?program=3&x HTTP/1.1\r\nHost: 127.0.0.1:80\r\n"
                         "Content-Length: 7\r\nOrigin: http://127.0.0.1:80\r\nAccept: */*\r\n\r\n",
                         request),
            0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/token/ask");
  EXPECT_EQ(QueryValue(request.query, "program"), "3");
  EXPECT_EQ(QueryValue(request.query, "x"), "");
  EXPECT_EQ(request.host, "127.0.0.1:80");
  EXPECT_EQ(request.origin, "http://127.0.0.1:80");
  EXPECT_EQ(request.content_length, 7u);
}

TEST(HttpRequest, RefusesTheUnusual) {
  const std::string host = "Host: a\r\n";
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n" + host + "\r\n"), 0);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n" + host + host + "\r\n"), 400);
  const std::string origin = "Origin: http://a\r\n";
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n" + host + origin + "\r\n"), 0);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n" + host + origin + origin + "\r\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n" + host + "Origin:\r\norigin: x\r\n\r\n"), 400);
  EXPECT_EQ(Status("GET /../x HTTP/1.1\r\n" + host + "\r\n"), 400);
  EXPECT_EQ(Status("GET /%2e%2e/x HTTP/1.1\r\n" + host + "\r\n"), 400);
  EXPECT_EQ(Status("GET http://a/ HTTP/1.1\r\n" + host + "\r\n"), 400);
  EXPECT_EQ(Status("GET //x HTTP/1.1\r\n" + host + "\r\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/2\r\n" + host + "\r\n"), 505);
  EXPECT_EQ(Status("PUT / HTTP/1.1\r\n" + host + "\r\n"), 405);
  EXPECT_EQ(Status("POST / HTTP/1.1\r\n" + host + "\r\n"), 411);
  EXPECT_EQ(Status("POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999\r\n\r\n"), 413);
  EXPECT_EQ(Status("POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(Status("POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n"), 501);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n" + host + " folded: x\r\n\r\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.1\nHost: a\n\n"), 400);
  EXPECT_EQ(Status(std::string("GET /\0 HTTP/1.1\r\n", 17) + host + "\r\n"), 400);
  std::string many = "GET / HTTP/1.1\r\n" + host;
  for (int i = 0; i < 100; ++i) many += "X: y\r\n";
  EXPECT_EQ(Status(many + "\r\n"), 431);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\nX: " + std::string(kMaxHttpHead, 'x') + "\r\n\r\n"), 431);
}

}  // namespace
}  // namespace halo::tool
