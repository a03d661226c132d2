// Uses RLIMIT_DATA, which counts private writable memory. Files that are only read, such as mapped
// inputs, do not count, unlike with RLIMIT_AS.
#include "tools/halo/guard/memory_guard.h"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

constexpr int64_t kForTheCommand = int64_t{2} << 30;

void (*note_of_failure)() = nullptr;

[[noreturn]] void OnNoMemory() {
  static std::atomic_flag is_noted;
  if (!is_noted.test_and_set() && note_of_failure != nullptr) note_of_failure();
  _exit(kExitUnusable);
}

}  // namespace

void GuardMemory(int64_t bytes, void (*note)()) {
  note_of_failure = note;
  std::set_new_handler(OnNoMemory);
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) == 0 && bytes < INT64_MAX - kForTheCommand) {
    limit.rlim_cur =
        std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(bytes) + rlim_t{kForTheCommand});
    setrlimit(RLIMIT_DATA, &limit);
  }
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t ignored = write(file, "1000", 4);
  close(file);
}

}  // namespace halo::tool
