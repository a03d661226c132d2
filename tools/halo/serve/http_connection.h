// One connection of a client: one request and its answer, without ever waiting. The server waits
// for what events() names, calls Receive and Send, and Expire when the deadline has passed.
#ifndef TOOLS_HALO_SERVE_HTTP_CONNECTION_H_
#define TOOLS_HALO_SERVE_HTTP_CONNECTION_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/halo/serve/http_reply.h"
#include "tools/halo/serve/http_request.h"
#include "tools/halo/serve/http_response.h"

namespace halo::tool {

// How long a client may take. Each limit is one deadline for the whole part, not for each piece.
struct HttpDeadlines {
  std::chrono::milliseconds head{5000};
  std::chrono::milliseconds body{10000};
  // To take an answer, and as long again for each 10 MiB of it.
  std::chrono::milliseconds answer{10000};
  // For a whole request to wait until it is worked on.
  std::chrono::milliseconds queue{1000};
  // To notice that the answer has ended.
  std::chrono::milliseconds goodbye{1000};
};

// Looks at a head, before a body is accepted. Returns the refusal, if any.
using HttpGate = std::function<std::optional<HttpResponse>(const HttpRequest&)>;

class HttpConnection {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Phase : char { kHead, kBody, kComplete, kQueued, kSending, kGoodbye, kClosed };

  // Takes an accepted socket.
  HttpConnection(int socket, const HttpDeadlines& deadlines);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] short events() const;  // NOLINT(google-runtime-int): as in pollfd
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
  [[nodiscard]] bool has_unsent() const { return !head_.empty() || !content_.empty(); }
  // Bytes of memory that the answer takes until the client has taken all of it.
  [[nodiscard]] size_t memory() const { return response_.memory() + stream_.capacity(); }
  // When the client last took some.
  [[nodiscard]] Clock::time_point last_progress() const { return last_progress_; }

  // Reads what has come. In the end the request is complete, refused, or the client is gone.
  void Receive(const HttpGate& gate);
  // Hands over a complete request; the answer comes from `reply`.
  HttpRequest Queue(std::shared_ptr<HttpReply> reply);
  // Takes what the reply has to say.
  void TakeNews();
  // Answers with a refusal; what the reply says is not wanted any more.
  void Refuse(int status, std::string_view why = {});
  // Sends as much as the client takes.
  void Send();
  // Acts on a deadline that has passed.
  void Expire();
  void Close();

 private:
  void Parse(size_t searched, const HttpGate& gate);
  void Answer(HttpResponse response, bool is_stream);
  bool SendSome(std::string_view& left);
  void Finish();

  HttpDeadlines deadlines_;
  int socket_;
  Phase phase_ = Phase::kHead;
  Clock::time_point deadline_, last_progress_;
  std::string received_;
  size_t body_begin_ = 0;
  HttpRequest request_;
  bool head_only_ = false;
  std::shared_ptr<HttpReply> reply_;  // null if nothing comes from it

  HttpResponse response_;
  std::string head_text_;
  std::string_view head_, content_;  // what is left to send
  std::string stream_;               // the part of a stream that `content_` is in
  bool is_stream_ = false;
  size_t discarded_ = 0;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_CONNECTION_H_
