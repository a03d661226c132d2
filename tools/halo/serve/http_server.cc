// Handles sockets and threads; the handler decides what a request means.
#include "tools/halo/serve/http_server.h"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/base/io/write_all.h"
#include "tools/halo/system/sockets.h"

namespace halo::tool {
namespace {

constexpr int kMaxConnections = 16;
constexpr int kSecondsToSpeak = 10;
constexpr int kPollMilliseconds = 200;

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

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {
    const timeval limit{kSecondsToSpeak, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Respond(const HttpHandler& handler) {
    HttpRequest request;
    const int status = Receive(request);
    if (status < 0) return;
    HttpResponse response;
    if (status == 0) {
      response = handler(request);
    } else {
      response.status = status;
      response.body = std::string(ReasonOf(status)) + "\n";
    }
    Send(response, request.method == "HEAD");
  }

 private:
  // 0 with a complete request, a status to reject with, or -1 if the peer disconnected.
  int Receive(HttpRequest& request) {
    std::string bytes;
    size_t end = std::string::npos;
    while (end == std::string::npos) {
      if (bytes.size() > kMaxHttpHead) return 431;
      if (!More(bytes)) return bytes.empty() ? -1 : 408;
      end = bytes.find("\r\n\r\n");
    }
    end += 4;
    if (const int status = ReadHttpHead(std::string_view(bytes).substr(0, end), request)) {
      return status;
    }
    while (bytes.size() - end < request.content_length) {
      if (!More(bytes)) return 408;
    }
    request.body = bytes.substr(end, request.content_length);
    return 0;
  }

  bool More(std::string& bytes) const {
    std::array<char, 8192> part;  // NOLINT: filled below
    const ssize_t got = recv(socket_, part.data(), part.size(), 0);
    if (got <= 0) return false;
    bytes.append(part.data(), static_cast<size_t>(got));
    return true;
  }

  void Send(const HttpResponse& response, bool head_only) const {
    const std::string_view body = response.bytes.empty() ? response.body : response.bytes;
    const std::string length =
        response.stream ? std::string() : fmt::format("Content-Length: {}\r\n", body.size());
    std::string head = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}Connection: close\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\n",
        response.status, ReasonOf(response.status), response.type, length);
    for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
    if (!WriteAll(socket_, head + "\r\n") || head_only) return;
    if (response.stream) {
      response.stream([this](std::string_view part) { return WriteAll(socket_, part); });
    } else {
      WriteAll(socket_, body);
    }
  }

  int socket_;
};

// Counts the connections that are being served.
class ConnectionSlots {
 public:
  void Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return taken_ < kMaxConnections; });
    ++taken_;
  }
  void Give() {
    const std::lock_guard lock(mutex_);
    --taken_;
    changed_.notify_all();
  }
  void WaitForAll() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return taken_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int taken_ = 0;
};

}  // namespace

HttpServer::~HttpServer() {
  if (socket_ >= 0) close(socket_);
}

std::string HttpServer::Listen(int port) {
  socket_ = MakeTcpSocket();
  if (socket_ < 0) return std::strerror(errno);
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket_, generic, sizeof address) != 0 || listen(socket_, kMaxConnections) != 0) {
    return std::strerror(errno);
  }
  socklen_t size = sizeof address;
  if (getsockname(socket_, generic, &size) != 0) return std::strerror(errno);
  port_ = ntohs(address.sin_port);
  return {};
}

void HttpServer::Serve(const HttpHandler& handler, const std::atomic<bool>& stop,
                       const std::function<void()>& ending) {
  ConnectionSlots slots;
  while (!stop) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, kPollMilliseconds) <= 0) continue;
    const int accepted = AcceptConnection(socket_);
    if (accepted < 0) continue;
    slots.Take();
    std::thread([accepted, &handler, &slots] {
      Connection(accepted).Respond(handler);
      slots.Give();
    }).detach();
  }
  if (ending) ending();
  slots.WaitForAll();
}

}  // namespace halo::tool
