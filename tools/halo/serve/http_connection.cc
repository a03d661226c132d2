// Closing a socket with unread bytes would take the answer away from the client. So the server
// first ends its side, and reads for a moment.
#include "tools/halo/serve/http_connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace halo::tool {
namespace {

constexpr size_t kReceivedAtOnce = size_t{64} << 10;
constexpr size_t kSentAtOnce = size_t{1} << 20;
constexpr size_t kPartOfAnswer = size_t{10} << 20;
constexpr size_t kMostDiscarded = size_t{4} << 20;
// Of a stream whose client does not read.
constexpr size_t kMostUnsentOfStream = size_t{8} << 20;
constexpr std::string_view kBlankLine = "\r\n\r\n";

#if defined(MSG_NOSIGNAL)
constexpr int kSendFlags = MSG_NOSIGNAL;
#else
constexpr int kSendFlags = 0;
#endif

bool WouldWait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

HttpConnection::HttpConnection(int socket, const HttpDeadlines& deadlines)
    : deadlines_(deadlines),
      socket_(socket),
      deadline_(Clock::now() + deadlines.head),
      last_progress_(Clock::now()) {
  fcntl(socket_, F_SETFL, O_NONBLOCK);
#if defined(SO_NOSIGPIPE)
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
}

HttpConnection::~HttpConnection() {
  Close();
  close(socket_);
}

short HttpConnection::events() const {  // NOLINT(google-runtime-int)
  switch (phase_) {
    case Phase::kHead:
    case Phase::kBody:
    case Phase::kGoodbye: return POLLIN;
    case Phase::kSending: return has_unsent() ? POLLOUT : 0;
    default: return 0;
  }
}

void HttpConnection::Receive(const HttpGate& gate) {
  std::array<char, kReceivedAtOnce> part;  // NOLINT: filled below
  const ssize_t got = recv(socket_, part.data(), part.size(), 0);
  if (got < 0 && WouldWait()) return;
  if (got < 0 || (got == 0 && (phase_ == Phase::kGoodbye || received_.empty()))) return Close();
  if (got == 0) return Refuse(400, "the request ends early");
  if (phase_ == Phase::kGoodbye) {
    discarded_ += static_cast<size_t>(got);
    if (discarded_ > kMostDiscarded) Close();
    return;
  }
  const size_t before = received_.size();
  received_.append(part.data(), static_cast<size_t>(got));
  Parse(before, gate);
}

// `searched` bytes held no whole blank line.
void HttpConnection::Parse(size_t searched, const HttpGate& gate) {
  if (phase_ == Phase::kHead) {
    const size_t overlap = std::min(searched, kBlankLine.size() - 1);
    const size_t end = received_.find(kBlankLine, searched - overlap);
    if (end == std::string::npos) {
      if (received_.size() > kMaxHttpHead) Refuse(431);
      return;
    }
    body_begin_ = end + kBlankLine.size();
    const std::string_view head = std::string_view(received_).substr(0, body_begin_);
    if (const int status = ReadHttpHead(head, request_); status != 0) return Refuse(status);
    head_only_ = request_.method == "HEAD";
    if (std::optional<HttpResponse> refusal = gate(request_)) {
      return Answer(*std::move(refusal), false);
    }
    phase_ = Phase::kBody;
    deadline_ = Clock::now() + deadlines_.body;
  }
  if (received_.size() - body_begin_ < request_.content_length) return;
  request_.body = received_.substr(body_begin_, request_.content_length);
  received_ = {};
  phase_ = Phase::kComplete;
  deadline_ = Clock::now() + deadlines_.queue;
}

HttpRequest HttpConnection::Queue(std::shared_ptr<HttpReply> reply) {
  reply_ = std::move(reply);
  phase_ = Phase::kQueued;
  return std::move(request_);
}

void HttpConnection::TakeNews() {
  if (reply_ == nullptr) return;
  HttpReply::News news = reply_->Take();
  if (news.response) Answer(*std::move(news.response), news.is_stream);
  if (!news.part.empty() && !head_only_) {
    if (content_.empty()) deadline_ = Clock::now() + deadlines_.answer;
    stream_.erase(0, stream_.size() - content_.size());
    stream_ += news.part;
    content_ = stream_;
    if (content_.size() > kMostUnsentOfStream) return Close();
  }
  if (news.has_ended) reply_ = nullptr;
  if (phase_ == Phase::kSending) Send();
}

void HttpConnection::Refuse(int status, std::string_view why) {
  if (reply_ != nullptr) reply_->Abandon();
  reply_ = nullptr;
  Answer(HttpRefusal(status, why), false);
}

void HttpConnection::Answer(HttpResponse response, bool is_stream) {
  received_ = {};
  response_ = std::move(response);
  is_stream_ = is_stream;
  head_text_ = HttpResponseHead(response_, is_stream);
  head_ = head_text_;
  content_ = head_only_ || is_stream ? std::string_view() : response_.content();
  phase_ = Phase::kSending;
  last_progress_ = Clock::now();
  const auto parts = static_cast<int64_t>(content_.size() / kPartOfAnswer);
  deadline_ = last_progress_ + deadlines_.answer * (1 + parts);
  if (!is_stream) Send();
}

// False if the client takes no more now.
bool HttpConnection::SendSome(std::string_view& left) {
  const ssize_t count = send(socket_, left.data(), std::min(left.size(), kSentAtOnce), kSendFlags);
  if (count < 0) {
    if (!WouldWait()) Close();
    return false;
  }
  left.remove_prefix(static_cast<size_t>(count));
  last_progress_ = Clock::now();
  return left.empty();
}

void HttpConnection::Send() {
  if (!head_.empty() && !SendSome(head_)) return;
  if (!content_.empty() && !SendSome(content_)) return;
  if (reply_ == nullptr || !is_stream_) return Finish();
  // Until the stream goes on.
  deadline_ = Clock::time_point::max();
}

void HttpConnection::Finish() {
  reply_ = nullptr;
  response_ = {};
  stream_ = {};
  shutdown(socket_, SHUT_WR);
  phase_ = Phase::kGoodbye;
  deadline_ = Clock::now() + deadlines_.goodbye;
}

void HttpConnection::Expire() {
  switch (phase_) {
    case Phase::kHead:
      if (received_.empty()) return Close();
      return Refuse(408);
    case Phase::kBody: return Refuse(408);
    case Phase::kComplete: return Refuse(503, "too many answers wait for their clients; try again");
    case Phase::kQueued:
      if (reply_->AbandonUnlessClaimed()) return Refuse(503, "too many requests; try again");
      deadline_ = Clock::time_point::max();
      return;
    default: return Close();
  }
}

void HttpConnection::Close() {
  if (reply_ != nullptr) reply_->Abandon();
  reply_ = nullptr;
  if (phase_ != Phase::kClosed) shutdown(socket_, SHUT_RDWR);
  phase_ = Phase::kClosed;
}

}  // namespace halo::tool
