// The loop around poll. Connections are listed in the order in which they came.
#include "tools/halo/serve/http_server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <list>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tools/halo/serve/http_workers.h"
#include "tools/halo/serve/wake_pipe.h"
#include "tools/halo/system/sockets.h"

namespace halo::tool {
namespace {

using Clock = HttpConnection::Clock;
using Phase = HttpConnection::Phase;
using std::chrono::milliseconds;

constexpr int kBacklog = 1024;
constexpr int kMostAcceptedAtOnce = 64;
constexpr milliseconds kStalled{250};   // a client that has taken nothing for so long
constexpr milliseconds kFull{50};       // before looking again for memory or descriptors
constexpr milliseconds kPatience{200};  // with work that is under way at the end

// The client takes nothing, although there is something to take.
bool IsStalled(const HttpConnection& connection, Clock::time_point now) {
  return connection.has_unsent() && connection.last_progress() + kStalled <= now;
}

class HttpLoop {
 public:
  HttpLoop(int listening, const HttpLimits& limits, const HttpSite& site)
      : listening_(listening),
        limits_(limits),
        site_(site),
        workers_(limits.threads, limits.waiting) {}

  void Run(int stop) {
    while (!Wait(stop)) {
      Accept();
      const auto now = Clock::now();
      for (const auto& each : connections_) {
        if (each->deadline() <= now) each->Expire();
      }
      DropStalled(now);
      for (const auto& each : connections_) Step(*each);
      std::erase_if(connections_, [](const auto& each) { return each->phase() == Phase::kClosed; });
    }
    connections_.clear();
  }
  bool EndWork() { return workers_.End(kPatience); }

 private:
  // Until something is to be done. True if that is to stop.
  bool Wait(int stop) {
    const auto now = Clock::now();
    const bool accepts = now >= accept_again_;
    waiting_ = {{stop, POLLIN, 0},
                {wake_->descriptor(), POLLIN, 0},
                {accepts ? listening_ : -1, POLLIN, 0}};
    Clock::time_point until = accepts ? Clock::time_point::max() : accept_again_;
    if (memory_ > limits_.memory) until = std::min(until, now + kFull);
    for (const auto& each : connections_) {
      waiting_.push_back({each->socket(), each->events(), 0});
      until = std::min(until, each->deadline());
    }
    int timeout = -1;
    if (until != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<milliseconds>(until - now).count();
      timeout = static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
    }
    const int ready = poll(waiting_.data(), waiting_.size(), timeout);
    if (ready < 0) {
      for (pollfd& each : waiting_) each.revents = 0;
    }
    if (waiting_[1].revents != 0) wake_->Clear();
    size_t next = kFirstConnection;
    for (const auto& each : connections_) Note(*each, waiting_[next++].revents);
    return waiting_[0].revents != 0;
  }

  void Note(HttpConnection& connection, int happened) const {
    if ((happened & POLLIN) != 0) {
      connection.Receive(site_.gate);
    } else if ((happened & POLLOUT) != 0) {
      connection.Send();
    } else if (happened != 0) {
      connection.Close();
    }
  }

  void Accept() {
    if (waiting_[2].revents == 0) return;
    for (int i = 0; i < kMostAcceptedAtOnce; ++i) {
      const int accepted = AcceptConnection(listening_);
      if (accepted < 0) {
        const bool is_none = errno == EAGAIN || errno == EWOULDBLOCK || errno == ECONNABORTED;
        if (is_none || errno == EINTR) return;
        // The process has no descriptors left.
        CloseIdle();
        accept_again_ = Clock::now() + kFull;
        return;
      }
      const bool has_slot = connections_.size() < limits_.connections || CloseIdle();
      auto made = std::make_unique<HttpConnection>(accepted, limits_.deadlines);
      if (!has_slot) made->Refuse(503, "too many connections; try again");
      // A refused one is closed here: there is no slot to wait in until its client has noticed.
      if (has_slot) connections_.push_back(std::move(made));
    }
  }

  // Closes the connection that a client has left idle for longest. False if none is.
  bool CloseIdle() {
    for (const Phase phase : {Phase::kGoodbye, Phase::kHead, Phase::kBody, Phase::kSending}) {
      for (auto each = connections_.begin(); each != connections_.end(); ++each) {
        if ((*each)->phase() != phase) continue;
        if (phase == Phase::kSending && !IsStalled(**each, Clock::now())) continue;
        connections_.erase(each);
        return true;
      }
    }
    return false;
  }

  void Step(HttpConnection& connection) {
    if (connection.phase() == Phase::kComplete && memory_ <= limits_.memory) Begin(connection);
    connection.TakeNews();
  }

  void Begin(HttpConnection& connection) {
    const auto reply = std::make_shared<HttpReply>(wake_);
    auto request = std::make_shared<const HttpRequest>(connection.Queue(reply));
    const bool is_queued = workers_.Add([reply, request = std::move(request), site = &site_] {
      if (reply->Claim()) site->answer(*request, reply);
    });
    if (!is_queued) connection.Refuse(503, "too many requests; try again");
  }

  void DropStalled(Clock::time_point now) {
    memory_ = 0;
    for (const auto& each : connections_) memory_ += each->memory();
    for (const auto& each : connections_) {
      if (memory_ <= limits_.memory) return;
      if (!IsStalled(*each, now)) continue;
      memory_ -= each->memory();
      each->Close();
    }
  }

  static constexpr size_t kFirstConnection = 3;

  int listening_;
  HttpLimits limits_;
  const HttpSite& site_;
  std::shared_ptr<const WakePipe> wake_ = std::make_shared<const WakePipe>();
  std::list<std::unique_ptr<HttpConnection>> connections_;
  std::vector<pollfd> waiting_;
  size_t memory_ = 0;  // of the answers that clients have not taken
  Clock::time_point accept_again_ = Clock::now();
  HttpWorkers workers_;
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
  fcntl(socket_, F_SETFL, O_NONBLOCK);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket_, generic, sizeof address) != 0 || listen(socket_, kBacklog) != 0) {
    return std::strerror(errno);
  }
  socklen_t size = sizeof address;
  if (getsockname(socket_, generic, &size) != 0) return std::strerror(errno);
  port_ = ntohs(address.sin_port);
  return {};
}

bool HttpServer::Serve(const HttpSite& site, int stop, const std::function<void()>& ending) {
  HttpLoop loop(socket_, limits_, site);
  loop.Run(stop);
  close(socket_);
  socket_ = -1;
  if (ending) ending();
  return loop.EndWork();
}

}  // namespace halo::tool
