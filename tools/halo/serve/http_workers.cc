// The threads are detached and share what they need, so that work which does not end can be left
// behind.
#include "tools/halo/serve/http_workers.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace halo::tool {

struct HttpWorkers::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  size_t most_waiting = 0;
  size_t idle = 0;
  size_t running = 0;
  bool is_ending = false;

  void Work() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      changed.wait(lock, [this] { return is_ending || !waiting.empty(); });
      --idle;
      if (is_ending) return;
      std::function<void()> work = std::move(waiting.front());
      waiting.pop_front();
      ++running;
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      --running;
      changed.notify_all();
    }
  }
};

HttpWorkers::HttpWorkers(size_t threads, size_t most_waiting) : state_(std::make_shared<State>()) {
  state_->most_waiting = most_waiting;
  for (size_t i = 0; i < threads; ++i) {
    std::thread([state = state_] { state->Work(); }).detach();
  }
}

bool HttpWorkers::Add(std::function<void()> work) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->waiting.size() >= state_->idle + state_->most_waiting) return false;
    state_->waiting.push_back(std::move(work));
  }
  state_->changed.notify_all();
  return true;
}

bool HttpWorkers::End(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  state_->is_ending = true;
  state_->waiting.clear();
  state_->changed.notify_all();
  return state_->changed.wait_for(lock, patience, [this] { return state_->running == 0; });
}

}  // namespace halo::tool
