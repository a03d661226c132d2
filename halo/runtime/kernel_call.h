// The calling convention of compiled code: one function over a range of iterations, so that threads
// can share the range, with the addresses of all buffers in one list. Codegen decides what a kernel
// computes.
#ifndef HALO_RUNTIME_KERNEL_CALL_H_
#define HALO_RUNTIME_KERNEL_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

namespace halo {

// `buffers`: the array leaves of the operands in order, then those of the result, then the step's
// temporary memory, if any. Elements are stored in the order of each shape's minor_to_major,
// without gaps; those narrower than a byte take one byte each. A result may alias an operand
// exactly where analysis/can_share.h or analysis/in_place.h allow it, and never overlaps one
// partially.
using KernelFunction = void (*)(void* const* buffers, int64_t begin, int64_t end);

// Whether a call is too short for a second thread. One thread then runs all of it at once.
inline bool IsForOneThread(int64_t iterations, int64_t grain) { return iterations < 2 * grain; }

// The calls of one instruction run one after the other. The iterations of one call may run in any
// order, on any number of threads.
struct KernelCall {
  std::string symbol;  // of the compiled function
  KernelFunction function = nullptr;
  int64_t iterations = 1;
  int64_t grain = 1;  // minimum number of iterations per thread
  // For a call that only copies one buffer into another: their numbers. It is left out where both
  // are the same memory.
  int64_t copied_from = -1;
  int64_t copied_to = -1;

  [[nodiscard]] bool IsNeeded(void* const* buffers) const {
    return copied_from < 0 || buffers[copied_from] != buffers[copied_to];
  }
};

}  // namespace halo

#endif  // HALO_RUNTIME_KERNEL_CALL_H_
