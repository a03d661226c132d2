// Cancelling kills the process that works on the call, so it ends at once whatever it does.
#include "tools/halo/mcp/call_queue.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "halo/mcp/reply/tool_reply.h"
#include "tools/halo/mcp/mcp_worker.h"

namespace halo::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;
constexpr std::chrono::milliseconds kHeartbeat{1000};
constexpr size_t kMostOutput = size_t{64} << 20;
// An answer of the worker is one line; more is not read into memory.
constexpr size_t kMostUnread = size_t{1} << 20;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

mcp::Roots RootsOf(const std::vector<std::string>& folders) {
  // The command has checked them.
  return *mcp::Roots::Make(folders);
}

// Reports progress as it comes, and once a second while nothing comes. Numbers only grow.
class Heartbeat {
 public:
  explicit Heartbeat(const QueuedCall& call)
      : token_(mcp::ProgressToken(call.message)), send_(call.send) {}

  void Say(std::string_view message) {
    message_ = message;
    Send(message_);
  }
  void Tick() {
    if (Clock::now() - last_ < kHeartbeat) return;
    Send(fmt::format("{} ({:.0f} s)", message_, SecondsSince(begin_)));
  }

 private:
  void Send(std::string_view message) {
    last_ = Clock::now();
    if (!token_.empty()) send_(mcp::ProgressMessage(token_, ++count_, message));
  }

  std::string token_;
  const mcp::Sender& send_;
  std::string message_ = "working";
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
  int64_t count_ = 0;
};

void SendProblem(const QueuedCall& call, std::string_view problem, std::string_view instead) {
  if (call.message.method == "tools/call") {
    call.send(mcp::ResultMessage(call.message.id,
                                 mcp::ToolResultJson(mcp::Refuse(problem, instead), "")));
  } else {
    call.send(mcp::ErrorMessage(call.message.id, mcp::RpcError::kInternal, problem));
  }
}

}  // namespace

CallQueue::CallQueue(const QueueOptions& options)
    : options_(options),
      runs_(RootsOf(options.roots),
            options.allow_run ? mcp::Runner([this](const std::vector<std::string>& arguments,
                                                   const mcp::Progress& progress) {
              return RunCommand(arguments, progress);
            })
                              : mcp::Runner()),
      thread_([this] { Work(); }) {}

CallQueue::~CallQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CallQueue::Add(QueuedCall call) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(call));
  }
  changed_.notify_all();
}

void CallQueue::Cancel(const std::string& id) {
  std::vector<QueuedCall> dropped;
  {
    const std::lock_guard lock(mutex_);
    if (id == current_) {
      is_cancelled_ = true;
      if (child_ != nullptr) child_->Kill();
    }
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (it->message.id != id) {
        ++it;
        continue;
      }
      dropped.push_back(std::move(*it));
      it = waiting_.erase(it);
    }
  }
  for (const QueuedCall& each : dropped) {
    if (each.ended) each.ended();
  }
}

void CallQueue::Abandon() {
  const std::lock_guard lock(mutex_);
  is_abandoned_ = is_closing_ = is_cancelled_ = true;
  if (child_ != nullptr) child_->Kill();
  changed_.notify_all();
}

bool CallQueue::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_cancelled_;
}

void CallQueue::Work() {
  while (true) {
    QueuedCall call;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !waiting_.empty() || is_closing_; });
      if (waiting_.empty()) break;
      call = std::move(waiting_.front());
      waiting_.pop_front();
      current_ = call.message.id;
      is_cancelled_ = is_abandoned_;
    }
    if (!is_stopped()) Do(call);
    {
      const std::lock_guard lock(mutex_);
      current_.clear();
    }
    if (call.ended) call.ended();
  }
  EndWorker();
}

void CallQueue::Do(const QueuedCall& call) {
  if (!mcp::RunsProgram(call.message)) return AskWorker(call);
  // The server waits for the command; a cancelled call has no reply.
  runs_.Handle(call.message, [&](std::string line) {
    if (!is_stopped()) call.send(std::move(line));
  });
}

bool CallQueue::StartWorker() {
  std::vector<std::string> words = {"mcp", "--worker"};
  for (const std::string& root : options_.roots) {
    words.emplace_back("--root");
    words.push_back(root);
  }
  unread_.clear();
  return worker_.Start(words);
}

void CallQueue::EndWorker(int* status) {
  if (!worker_.is_running()) return;
  worker_.Kill();
  const int ended = worker_.Wait();
  if (status != nullptr) *status = ended;
}

void CallQueue::AskWorker(const QueuedCall& call) {
  if (!worker_.is_running() && !StartWorker()) {
    return SendProblem(call, "the process that reads programs could not be started", "try again");
  }
  {
    const std::lock_guard lock(mutex_);
    child_ = &worker_;
    if (is_cancelled_) worker_.Kill();
  }
  const Ended ended = worker_.Write(call.line + "\n") ? Relay(call) : Ended::kFailed;
  {
    const std::lock_guard lock(mutex_);
    child_ = nullptr;
  }
  if (ended == Ended::kAnswered) return;
  int status = 0;
  if (ended == Ended::kFailed) {
    // It has ended by itself, or will at once.
    status = worker_.Wait();
  } else {
    EndWorker(&status);
  }
  if (ended == Ended::kStopped || is_stopped()) return;
  if (ended == Ended::kTimeout) {
    return SendProblem(
        call, fmt::format("this took longer than {:.0f} s", options_.timeout),
        "a smaller program or a narrower request; --timeout of `halo mcp` sets the limit");
  }
  SendProblem(call,
              status == kWorkerOutOfMemory
                  ? "there is not enough memory for this request"
                  : fmt::format("the process that reads programs ended unexpectedly ({})", status),
              "other requests still work; `check` of the file shows whether it is damaged");
}

CallQueue::Ended CallQueue::Relay(const QueuedCall& call) {
  const auto begin = Clock::now();
  Heartbeat heartbeat(call);
  while (true) {
    const OwnProcess::Got got = worker_.Read(kPollMilliseconds, unread_);
    if (is_stopped()) return Ended::kStopped;
    if (got == OwnProcess::Got::kEnd || unread_.size() > kMostUnread) return Ended::kFailed;
    for (size_t end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      const mcp::Message message = mcp::ReadMessage(line);
      if (message.kind == mcp::Message::Kind::kNotification) {
        heartbeat.Say(message.params["message"].AsString());
      } else {
        call.send(std::move(line));
        return Ended::kAnswered;
      }
    }
    heartbeat.Tick();
    if (SecondsSince(begin) > options_.timeout) return Ended::kTimeout;
  }
}

mcp::RunOutcome CallQueue::RunCommand(std::vector<std::string> arguments,
                                      const mcp::Progress& progress) {
  if (!options_.allow_unconfined) arguments.emplace_back("--require-sandbox");
  OwnProcess command;
  mcp::RunOutcome outcome;
  if (!command.Start(arguments)) {
    outcome.problem = "the process that runs the program could not be started";
    return outcome;
  }
  command.CloseInput();
  {
    const std::lock_guard lock(mutex_);
    child_ = &command;
    if (is_cancelled_) command.Kill();
  }
  const auto begin = Clock::now();
  auto last = begin;
  OwnProcess::Got got = OwnProcess::Got::kNothing;
  while (got != OwnProcess::Got::kEnd && outcome.output.size() <= kMostOutput) {
    got = command.Read(kPollMilliseconds, outcome.output);
    if (Clock::now() - last < kHeartbeat) continue;
    last = Clock::now();
    progress(fmt::format("running ({:.0f} s)", SecondsSince(begin)));
  }
  {
    const std::lock_guard lock(mutex_);
    child_ = nullptr;
  }
  if (outcome.output.size() > kMostOutput) command.Kill();
  outcome.exit_code = command.Wait();
  if (outcome.exit_code < 0) {
    outcome.problem = fmt::format("the run was ended by signal {}", -outcome.exit_code);
  }
  return outcome;
}

}  // namespace halo::tool
