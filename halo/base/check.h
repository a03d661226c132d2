// A broken invariant of ours, never of the input: stops the program with a line to report. No input
// may reach one.
#ifndef HALO_BASE_CHECK_H_
#define HALO_BASE_CHECK_H_

namespace halo {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}

#define HALO_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::halo::CheckFailed(#condition, __FILE__, __LINE__))

#endif  // HALO_BASE_CHECK_H_
