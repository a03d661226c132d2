// Threads that work on requests, and a queue of bounded length in front of them.
#ifndef TOOLS_HALO_SERVE_HTTP_WORKERS_H_
#define TOOLS_HALO_SERVE_HTTP_WORKERS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace halo::tool {

class HttpWorkers {
 public:
  HttpWorkers(size_t threads, size_t most_waiting);
  HttpWorkers(const HttpWorkers&) = delete;
  HttpWorkers& operator=(const HttpWorkers&) = delete;
  // Forgets what waits, and does not wait for what is under way.
  ~HttpWorkers() { End(std::chrono::milliseconds(0)); }

  // False if too much waits already.
  bool Add(std::function<void()> work);
  // Forgets what waits. Returns whether everything under way has ended within this time.
  bool End(std::chrono::milliseconds patience);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_WORKERS_H_
