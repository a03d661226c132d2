// The system calls that a process in the sandbox may make, as a program for seccomp. The program is
// only built here, the same on every system, so that it can be tested for each architecture; the
// sandbox installs it.
#ifndef TOOLS_HALO_GUARD_CALL_FILTER_H_
#define TOOLS_HALO_GUARD_CALL_FILTER_H_

#include <cstdint>
#include <vector>

namespace halo::tool {

// A statement of classic BPF, laid out as the kernel's sock_filter.
struct FilterStep {
  uint16_t code = 0;
  uint8_t if_true = 0, if_false = 0;  // statements to skip after a comparison
  uint32_t value = 0;
};

// The 64-bit interfaces to Linux whose calls are known.
enum class CallInterface : uint8_t { kX86_64, kAarch64 };

// What a program may pass to a call that is allowed.
enum class ArgumentRule : uint8_t {
  kAny,
  kStartsThread,    // clone: a thread of this process, in the same namespaces
  kSignalsItself,   // tgkill
  kReadsOwnLimits,  // prlimit64
  kReadsOwnCores,   // sched_getaffinity
  kUsesDescriptor,  // fcntl: nothing that makes the kernel send signals
  kAsksTerminal,    // ioctl: whether it is a terminal, and how large
  kNames,           // prctl
  kAdvises,         // madvise: nothing that damages or shares pages
  kAsksForTiles,    // arch_prctl
};

inline constexpr int kNoNumber = -1;  // of a call that an architecture lacks

struct AllowedCall {
  const char* name;
  int x86_64, aarch64;
  ArgumentRule rule;

  [[nodiscard]] constexpr int number(CallInterface interface) const {
    return interface == CallInterface::kX86_64 ? x86_64 : aarch64;
  }
};

inline constexpr AllowedCall kAllowedCalls[] = {
#define HALO_CALL(name, x86_64, aarch64, rule) {#name, x86_64, aarch64, ArgumentRule::rule},
#define HALO_CALL_OF_X86_64(name, x86_64, rule) {#name, x86_64, kNoNumber, ArgumentRule::rule},
#include "tools/halo/guard/allowed_calls.def"
#undef HALO_CALL_OF_X86_64
#undef HALO_CALL
};

// Refused calls return EPERM; those with numbers from here on return ENOSYS. Libraries expect newer
// calls to be missing, and use older ones instead.
inline constexpr uint32_t kFirstNewCall = 424;

// Allows kAllowedCalls in the process with this id and refuses everything else, including all calls
// of other interfaces.
std::vector<FilterStep> CallFilter(CallInterface interface, uint32_t own_process);

}  // namespace halo::tool

#endif  // TOOLS_HALO_GUARD_CALL_FILTER_H_
