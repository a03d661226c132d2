// Threads take the next item each; this thread waits for the results in order.
#include "tools/halo/commands/check_dump_files.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "halo/base/machine_cores.h"

namespace halo::tool {
namespace {

// Threads stay at most this many items ahead of what has been taken, so that results do not pile
// up.
constexpr size_t kMostAhead = 64;

class ItemQueue {
 public:
  explicit ItemQueue(size_t count) : results_(count) {}

  // The next item to check; nothing if all have been handed out.
  std::optional<size_t> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ >= results_.size() || next_ < taken_ + kMostAhead; });
    if (next_ >= results_.size()) return std::nullopt;
    return next_++;
  }

  void Put(size_t item, std::vector<CheckedFile> result) {
    const std::scoped_lock lock(mutex_);
    results_[item] = std::move(result);
    changed_.notify_all();
  }

  // Waits for an item's result, and calls `waiting` now and then meanwhile.
  std::vector<CheckedFile> Take(size_t item, const std::function<void()>& waiting) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(200),
                              [&] { return results_[item].has_value(); })) {
      waiting();
    }
    std::vector<CheckedFile> result = *std::move(results_[item]);
    results_[item].reset();
    taken_ = item + 1;
    changed_.notify_all();
    return result;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<std::vector<CheckedFile>>> results_;
  size_t next_ = 0;
  size_t taken_ = 0;
};

}  // namespace

void CheckDumpFiles(const Dump& dump, const std::vector<DumpCheckItem>& items,
                    const CheckOptions& options, const std::function<void(CheckedFile)>& take,
                    Session& session) {
  ItemQueue queue(items.size());
  const auto work = [&] {
    while (const std::optional<size_t> item = queue.Next()) {
      queue.Put(*item, CheckDumpItem(items[*item], options, dump));
    }
  };
  const auto wanted = static_cast<size_t>(session.threads.value_or(MachineCores()));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(wanted, items.size()); ++i) threads.emplace_back(work);
  for (size_t i = 0; i < items.size(); ++i) {
    const auto status = [&] {
      session.console.Status(fmt::format("checking {}: {} of {}", dump.root, i + 1, items.size()));
    };
    for (CheckedFile& file : queue.Take(i, status)) take(std::move(file));
  }
  session.console.Status("");
  for (std::thread& thread : threads) thread.join();
}

}  // namespace halo::tool
