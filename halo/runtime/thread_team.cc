// One loop at a time, described in memory that belongs to the team. Threads sleep on a number each,
// and those that wake up wake others, so that a loop on many cores starts in a few steps.
#include "halo/runtime/thread_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "halo/base/machine_cores.h"

extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int threads);
}

namespace halo {
namespace {

// Longer waits sleep: on a busy machine, spinning takes the core from the thread waited for.
constexpr std::chrono::microseconds kSpin(10);

void Relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns once the number is not `value` any more.
void WaitWhile(const std::atomic<int>& number, int value) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (number.load(std::memory_order_acquire) != value) return;
      Relax();
    }
  } while (std::chrono::steady_clock::now() - begin < kSpin);
  number.wait(value, std::memory_order_acquire);
}

std::atomic<int>& Size() {
  // libgomp knows OMP_NUM_THREADS.
  static std::atomic<int> size = std::clamp(MachineCores(), 1, std::max(1, omp_get_max_threads()));
  return size;
}

class Team {
 public:
  // Never destroyed: its threads sleep until the process ends.
  static Team& Get() {
    static Team& team = *new Team;
    return team;
  }

  void Run(int64_t count, int members, int64_t chunks,
           const std::function<void(int64_t, int64_t)>& body);

 private:
  // One for each thread, in separate cache lines.
  struct alignas(64) Member {
    std::atomic<int> call = 0;      // grows when there is something to do
    std::atomic<int64_t> next = 0;  // the first of its chunks that is not taken
    int64_t end = 0;
  };

  void Grow(int members);
  void Serve(Member& own, int number);
  void Work(int number);
  void WakeOthers(int number);

  std::mutex loop_;  // held by the thread whose loop it is
  std::vector<std::unique_ptr<Member>> members_;
  // The loop, unchanged while it is open or threads are inside.
  const std::function<void(int64_t, int64_t)>* body_ = nullptr;
  int64_t count_ = 0, chunk_count_ = 0;
  int used_ = 0;
  std::atomic<bool> is_open_ = false;
  std::atomic<int> inside_ = 0;  // threads besides the loop's own
};

thread_local bool is_in_loop = false;

void Team::Grow(int members) {
  while (members_.size() < static_cast<size_t>(members)) {
    const int number = static_cast<int>(members_.size());
    auto added = std::make_unique<Member>();
    if (number > 0) {
      try {
        std::thread([this, own = added.get(), number] { Serve(*own, number); }).detach();
      } catch (const std::system_error&) {
        return;  // no more threads allowed; there are enough to go on
      }
    }
    members_.push_back(std::move(added));
  }
}

void Team::Serve(Member& own, int number) {
  is_in_loop = true;
  for (int seen = 0;;) {
    WaitWhile(own.call, seen);
    seen = own.call.load(std::memory_order_acquire);
    // The thread that closes the loop waits for those that are inside; later ones do not see it
    // open.
    inside_.fetch_add(1);
    if (is_open_.load() && number < used_) {
      WakeOthers(number);
      Work(number);
    }
    if (inside_.fetch_sub(1) == 1) inside_.notify_one();
  }
}

void Team::WakeOthers(int number) {
  for (int other = 2 * number + 1; other <= 2 * number + 2 && other < used_; ++other) {
    Member& member = *members_[static_cast<size_t>(other)];
    member.call.fetch_add(1, std::memory_order_release);
    member.call.notify_one();
  }
}

// A thread begins with its own chunks, so that it meets the same data in loop after loop.
void Team::Work(int number) {
  for (int i = 0; i < used_; ++i) {
    Member& from = *members_[static_cast<size_t>((number + i) % used_)];
    while (from.next.load(std::memory_order_relaxed) < from.end) {
      const int64_t chunk = from.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= from.end) break;
      const int64_t size = count_ / chunk_count_;
      const int64_t rest = count_ % chunk_count_;
      const int64_t begin = chunk * size + std::min(chunk, rest);
      (*body_)(begin, begin + size + (chunk < rest ? 1 : 0));
    }
  }
}

void Team::Run(int64_t count, int members, int64_t chunks,
               const std::function<void(int64_t, int64_t)>& body) {
  const std::unique_lock lock(loop_, std::try_to_lock);
  if (!lock) return body(0, count);
  Grow(Size());
  body_ = &body;
  count_ = count;
  chunk_count_ = std::min(count, members * chunks);
  used_ = std::min(members, static_cast<int>(members_.size()));
  for (int i = 0; i < used_; ++i) {
    Member& member = *members_[static_cast<size_t>(i)];
    member.next.store(chunk_count_ * i / used_, std::memory_order_relaxed);
    member.end = chunk_count_ * (i + 1) / used_;
  }
  is_open_.store(true);
  is_in_loop = true;
  WakeOthers(0);
  Work(0);
  is_in_loop = false;
  is_open_.store(false);
  for (int left = inside_.load(); left != 0; left = inside_.load()) WaitWhile(inside_, left);
}

}  // namespace

void SetTeamSize(int threads) {
  const int size = std::max(1, threads);
  Size() = size;
  omp_set_num_threads(size);
}

int TeamSize() { return Size(); }

void TeamFor(int64_t count, int64_t grain,
             const std::function<void(int64_t begin, int64_t end)>& body, int64_t chunks) {
  if (count <= 0) return;
  const int64_t members = std::min<int64_t>(Size(), count / std::max<int64_t>(grain, 1));
  if (members <= 1 || is_in_loop) return body(0, count);
  Team::Get().Run(count, static_cast<int>(members), chunks, body);
}

LibraryThreadsScope::LibraryThreadsScope(bool only_this_one) : before_(omp_get_max_threads()) {
  omp_set_num_threads(only_this_one ? 1 : TeamSize());
}

LibraryThreadsScope::~LibraryThreadsScope() { omp_set_num_threads(before_); }

}  // namespace halo
