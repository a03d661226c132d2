// Three threads: one reads messages, one reads whole texts, and the caller's has the server, which
// no other thread uses.
#include "tools/halo/lsp/lsp_stdio.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "halo/lsp/server/lsp_server.h"
#include "halo/rpc/frame_buffer.h"
#include "tools/halo/serve/message_writer.h"

namespace halo::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(250);

// What the other threads have for the server.
struct Inbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<rpc::Message> messages;
  bool is_closed = false;
  std::optional<lsp::WholeProgram> program;
};

void ReadMessages(Inbox& inbox) {
  rpc::FrameBuffer frames(lsp::kMaxLspMessage);
  std::array<char, 65536> part;  // NOLINT: filled below
  const auto add = [&inbox](rpc::Message message) {
    const std::lock_guard lock(inbox.mutex);
    inbox.messages.push_back(std::move(message));
    inbox.arrived.notify_one();
  };
  const auto refuse = [&](std::string problem) {
    rpc::Message message;
    message.id = "null";
    message.error = rpc::RpcError::kInvalidRequest;
    message.problem = std::move(problem);
    add(std::move(message));
  };
  while (true) {
    const ssize_t got = read(STDIN_FILENO, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    frames.Add({part.data(), static_cast<size_t>(got)});
    while (true) {
      std::string text;
      const rpc::FrameBuffer::Status status = frames.Next(text);
      if (status == rpc::FrameBuffer::Status::kIncomplete) break;
      if (status == rpc::FrameBuffer::Status::kTooLong) {
        refuse("the message is longer than 1 GiB");
      } else if (status == rpc::FrameBuffer::Status::kBadHeader) {
        refuse("the header has no Content-Length");
      } else {
        add(rpc::ReadMessage(text, lsp::kMaxLspMessage));
      }
    }
  }
  const std::lock_guard lock(inbox.mutex);
  inbox.is_closed = true;
  inbox.arrived.notify_one();
}

class EditorLoop {
 public:
  // False if the editor did not shut the server down before it left.
  bool Run() {
    std::thread([inbox = inbox_] { ReadMessages(*inbox); }).detach();
    while (Step()) continue;
    if (worker_.joinable()) worker_.join();
    return server_.was_shut_down();
  }

 private:
  bool Step() {
    std::optional<rpc::Message> message;
    std::optional<lsp::WholeProgram> program;
    {
      std::unique_lock lock(inbox_->mutex);
      const auto has_any = [&] {
        return !inbox_->messages.empty() || inbox_->is_closed || inbox_->program.has_value();
      };
      if (is_waiting_) {
        inbox_->arrived.wait_until(lock, pause_ends_, has_any);
      } else {
        inbox_->arrived.wait(lock, has_any);
      }
      if (!inbox_->messages.empty()) {
        message = std::move(inbox_->messages.front());
        inbox_->messages.pop_front();
      } else if (inbox_->program) {
        program = std::exchange(inbox_->program, std::nullopt);
      } else if (inbox_->is_closed) {
        return false;
      }
    }
    if (message) {
      TakeMessage(std::move(*message));
      return !server_.has_exited();
    }
    if (program) {
      worker_.join();
      server_.Accept(std::move(*program), send_);
      is_waiting_ = server_.NeedsWhole();
    } else if (is_waiting_ && Clock::now() >= pause_ends_) {
      ReadWhole();
    }
    return true;
  }

  void TakeMessage(rpc::Message message) {
    const bool is_edit = message.method.starts_with("textDocument/did");
    server_.Handle(std::move(message), send_);
    if (!is_edit) return;
    is_waiting_ = true;
    pause_ends_ = Clock::now() + kPause;
  }

  void ReadWhole() {
    if (worker_.joinable()) {
      // What it finds is needed first.
      is_waiting_ = false;
      return;
    }
    std::optional<lsp::WholeRequest> request = server_.NextWhole();
    is_waiting_ = false;
    if (!request) return;
    worker_ = std::thread([inbox = inbox_, request = std::move(*request)]() mutable {
      lsp::WholeProgram program = lsp::ReadWhole(request);
      request.pieces.clear();
      const std::lock_guard lock(inbox->mutex);
      inbox->program = std::move(program);
      inbox->arrived.notify_one();
    });
  }

  MessageWriter writer_;
  const lsp::Sender send_ = [this](const std::string& message) {
    writer_.Write(rpc::Framed(message));
  };
  lsp::Server server_;
  // Also of the thread that reads messages, which may wait for one forever.
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::thread worker_;
  bool is_waiting_ = false;  // for a pause, after which a whole text is read
  Clock::time_point pause_ends_;
};

}  // namespace

bool ServeEditor() {
  std::signal(SIGPIPE, SIG_IGN);
  return EditorLoop().Run();
}

}  // namespace halo::tool
