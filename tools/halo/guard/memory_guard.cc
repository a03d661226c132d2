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

[[maybe_unused]] constexpr int64_t kForTheCommand = int64_t{2} << 30;

void (*note_of_failure)() = nullptr;

[[noreturn]] void OnNoMemory() {
  static std::atomic_flag is_noted;
  if (!is_noted.test_and_set() && note_of_failure != nullptr) note_of_failure();
  _exit(kExitUnusable);
}

#ifndef HALO_SANITIZED
void LimitData(int64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || bytes >= INT64_MAX - kForTheCommand) return;
  limit.rlim_cur =
      std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(bytes) + rlim_t{kForTheCommand});
  setrlimit(RLIMIT_DATA, &limit);
}
#else
// AddressSanitizer reserves terabytes for its shadow memory, which the limit would count.
void LimitData(int64_t /*bytes*/) {}
#endif

}  // namespace

void GuardMemory(int64_t bytes, void (*note)()) {
  note_of_failure = note;
  std::set_new_handler(OnNoMemory);
  LimitData(bytes);
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t ignored = write(file, "1000", 4);
  close(file);
}

}  // namespace halo::tool
