// Requests that read or run programs, one after the other on a dedicated thread. Programs are
// read by a worker process in a sandbox, which is replaced when it fails, takes too long, or the
// client cancels what it does; the ids of programs outlive it.
#ifndef TOOLS_HALO_MCP_CALL_QUEUE_H_
#define TOOLS_HALO_MCP_CALL_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "halo/mcp/server/server.h"
#include "tools/halo/mcp/own_process.h"

namespace halo::tool {

struct QueueOptions {
  std::vector<std::string> roots;
  bool allow_run = false;
  bool allow_unconfined = false;  // runs that the sandbox cannot hold
  double timeout = 300;           // seconds of one call
};

// A call that waits or is under way.
struct QueuedCall {
  mcp::Message message;
  std::string line;                  // as it was received
  mcp::Sender send;                  // for progress and the answer
  std::function<void()> ended = {};  // always called at last, also if there is no answer
};

class CallQueue {
 public:
  explicit CallQueue(const QueueOptions& options);
  // Waits for the calls that are left.
  ~CallQueue();
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  void Add(QueuedCall call);
  // `id` as JSON. A cancelled call is not answered.
  void Cancel(const std::string& id);
  // Ends what is under way and forgets what waits.
  void Abandon();

 private:
  enum class Ended : char { kAnswered, kStopped, kTimeout, kFailed };

  void Work();
  void Do(const QueuedCall& call);
  void AskWorker(const QueuedCall& call);
  // Passes on what the worker sends until the answer has come.
  Ended Relay(const QueuedCall& call);
  mcp::RunOutcome RunCommand(std::vector<std::string> arguments, const mcp::Progress& progress);
  bool StartWorker();
  void EndWorker(int* status = nullptr);
  [[nodiscard]] bool is_stopped();

  QueueOptions options_;
  mcp::Server runs_;  // answers calls that run programs; reads none
  OwnProcess worker_;
  std::string unread_;  // of the worker's output

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<QueuedCall> waiting_;
  std::string current_;  // the id of the call under way; empty if none is
  bool is_cancelled_ = false;
  bool is_closing_ = false;
  bool is_abandoned_ = false;
  const OwnProcess* child_ = nullptr;  // what to kill on cancellation
  std::thread thread_;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_MCP_CALL_QUEUE_H_
