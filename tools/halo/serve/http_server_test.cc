// Tests the server with clients that are slow, broken or do not read, and that it ends at once.
#include "tools/halo/serve/http_server.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "halo/base/io/write_all.h"

namespace halo::tool {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kGet = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr size_t kLarge = size_t{8} << 20;  // more than sockets hold

class Client {
 public:
  explicit Client(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const int little = 1 << 16;
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Say(std::string_view text) const { send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
  // Until the server ends the connection.
  [[nodiscard]] std::string All() const {
    std::string all;
    std::array<char, 65536> part;  // NOLINT: filled below
    for (ssize_t got = 0; (got = recv(socket_, part.data(), part.size(), 0)) > 0;) {
      all.append(part.data(), static_cast<size_t>(got));
    }
    return all;
  }
  [[nodiscard]] std::string Ask(std::string_view text) const {
    Say(text);
    return All();
  }

 private:
  int socket_;
};

// A site that answers /x at once and /large with a large body, streams /stream, keeps /hold until
// Release, and admits nothing else.
class HttpServerTest : public testing::Test {
 protected:
  void Start(const HttpLimits& limits) {
    server_.emplace(limits);
    ASSERT_EQ(server_->Listen(0), "");
    thread_ = std::thread([this] {
      ended_whole_ = server_->Serve(
          {[](const HttpRequest& request) -> std::optional<HttpResponse> {
             if (request.path.starts_with("/no")) return HttpRefusal(403, "not here");
             return std::nullopt;
           },
           [this](const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
             Answer(request, reply);
           }},
          stop_.descriptor());
    });
  }
  // How long the server takes to end.
  milliseconds Stop() {
    const auto begin = steady_clock::now();
    stop_.Wake();
    thread_.join();
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
  }
  ~HttpServerTest() override {
    if (thread_.joinable()) Stop();
    Release();
    // What was under way uses this object.
    while (under_way_ > 0) std::this_thread::sleep_for(milliseconds(1));
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
  }
  void AwaitHeld(int count) {
    while (under_way_ < count) std::this_thread::sleep_for(milliseconds(1));
  }
  [[nodiscard]] int port() const { return server_->port(); }

  bool ended_whole_ = false;

 private:
  void Answer(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
    HttpResponse response;
    response.body = "body of " + std::to_string(request.body.size());
    if (request.path == "/stream") {
      reply->Begin(HttpResponse());
      for (const char* part : {"one ", "two ", "three"}) reply->Add(part);
      return reply->End();
    }
    if (request.path == "/large") {
      static const std::string large(kLarge, 'x');
      response.bytes = large;
      response.owned = kLarge;
    }
    if (request.path == "/hold") {
      ++under_way_;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_released_; });
      lock.unlock();
      --under_way_;
    }
    reply->Send(std::move(response));
  }

  WakePipe stop_;
  std::optional<HttpServer> server_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_released_ = false;
  std::atomic<int> under_way_ = 0;
};

TEST_F(HttpServerTest, AnswersWholeRequests) {
  Start({});
  EXPECT_TRUE(Client(port()).Ask(kGet).ends_with("\r\n\r\nbody of 0"));
  const Client slowly(port());
  for (const char c :
       std::string_view("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")) {
    slowly.Say({&c, 1});
  }
  EXPECT_TRUE(slowly.Ask("c").ends_with("\r\n\r\nbody of 3"));
  const std::string stream = Client(port()).Ask("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(stream.ends_with("\r\n\r\none two three")) << stream;
  EXPECT_EQ(stream.find("Content-Length"), std::string::npos);
  const std::string head = Client(port()).Ask("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(head.ends_with("\r\n\r\n") && head.find("Content-Length: 9") != std::string::npos);
  EXPECT_GT(Client(port()).Ask("GET /large HTTP/1.1\r\nHost: a\r\n\r\n").size(), kLarge);
  EXPECT_TRUE(Client(port()).Ask("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, RefusesBeforeTheBody) {
  Start({});
  const std::string told =
      Client(port()).Ask("POST /no HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_TRUE(told.starts_with("HTTP/1.1 403 ")) << told;
  EXPECT_TRUE(told.ends_with("not here\n")) << told;
}

TEST_F(HttpServerTest, HeadAndBodyHaveOneDeadlineEach) {
  Start({.deadlines = {.head = milliseconds(300), .body = milliseconds(300)}});
  for (const std::string before :
       {"", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n"}) {
    const Client client(port());
    client.Say(before);
    const auto begin = steady_clock::now();
    std::atomic<bool> is_done = false;
    std::thread drip([&] {
      while (!is_done) {
        client.Say("x");
        std::this_thread::sleep_for(milliseconds(20));
      }
    });
    EXPECT_TRUE(client.All().starts_with("HTTP/1.1 408 "));
    is_done = true;
    drip.join();
    EXPECT_LT(steady_clock::now() - begin, milliseconds(2500));
  }
}

TEST_F(HttpServerTest, SilentClientsGiveWayToOthers) {
  Start({.connections = 20});
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(std::make_unique<Client>(port()));
    silent.back()->Say("GET /x HT");
  }
  const auto begin = steady_clock::now();
  EXPECT_TRUE(Client(port()).Ask(kGet).ends_with("body of 0"));
  EXPECT_LT(steady_clock::now() - begin, milliseconds(1000));
  EXPECT_LT(Stop(), milliseconds(500));
  EXPECT_TRUE(ended_whole_);
}

TEST_F(HttpServerTest, ClientsThatDoNotReadDelayNoOther) {
  Start({.deadlines = {.queue = milliseconds(5000)}, .threads = 2, .memory = 6 * kLarge});
  std::vector<std::unique_ptr<Client>> greedy;
  for (int i = 0; i < 12; ++i) {
    greedy.push_back(std::make_unique<Client>(port()));
    greedy.back()->Say("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  // Their answers take all the memory that there is for answers until they are dropped.
  for (int i = 0; i < 20; ++i) {
    const auto begin = steady_clock::now();
    EXPECT_TRUE(Client(port()).Ask(kGet).ends_with("body of 0"));
    EXPECT_LT(steady_clock::now() - begin, milliseconds(2500));
    std::this_thread::sleep_for(milliseconds(20));
  }
}

TEST_F(HttpServerTest, SaysWhenItIsFull) {
  Start({.deadlines = {.queue = milliseconds(200)}, .threads = 1, .waiting = 1});
  const std::string hold = "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n";
  const Client first(port());
  first.Say(hold);
  AwaitHeld(1);
  const Client second(port());
  second.Say(hold);
  std::this_thread::sleep_for(milliseconds(50));
  const std::string third = Client(port()).Ask(kGet);
  EXPECT_TRUE(third.starts_with("HTTP/1.1 503 ")) << third;
  EXPECT_NE(third.find("\r\nRetry-After: 1\r\n"), std::string::npos);
  EXPECT_TRUE(second.All().starts_with("HTTP/1.1 503 "));
  Release();
  EXPECT_TRUE(first.All().ends_with("body of 0"));
}

TEST_F(HttpServerTest, EndsAtOnceWhateverIsUnderWay) {
  Start({});
  const Client silent(port());
  const Client half(port());
  half.Say("GET /x HT");
  const Client greedy(port());
  greedy.Say("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  const Client held(port());
  held.Say("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  AwaitHeld(1);
  EXPECT_LT(Stop(), milliseconds(900));
  EXPECT_FALSE(ended_whole_);
  EXPECT_EQ(silent.All(), "");
}

}  // namespace
}  // namespace halo::tool
