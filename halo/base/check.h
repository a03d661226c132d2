// Reports a broken internal invariant and aborts with a line to include in a bug report. Invariants
// are about our own code, never about the input: no input may trigger one.
#ifndef HALO_BASE_CHECK_H_
#define HALO_BASE_CHECK_H_

namespace halo {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}

#define HALO_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::halo::CheckFailed(#condition, __FILE__, __LINE__))

#endif  // HALO_BASE_CHECK_H_
