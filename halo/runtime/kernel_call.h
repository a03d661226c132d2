// How compiled code is called: one function over a range of iterations, so that threads share the
// range, with the addresses of all buffers in one list. What a kernel computes is codegen's.
#ifndef HALO_RUNTIME_KERNEL_CALL_H_
#define HALO_RUNTIME_KERNEL_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

namespace halo {

// `buffers`: the array leaves of the operands in order, then those of the result, then the step's
// temporary memory if it has any. Elements lie in the order of each shape's minor_to_major, without
// gaps, those narrower than a byte one per byte. A result may lie exactly over an operand where
// analysis/can_share.h or analysis/in_place.h allow it, and never overlaps one in part.
using KernelFunction = void (*)(void* const* buffers, int64_t begin, int64_t end);

// Calls of one instruction run one after the other; the iterations of one call in any order, by any
// number of threads.
struct KernelCall {
  std::string symbol;  // of the compiled function
  KernelFunction function = nullptr;
  int64_t iterations = 1;
  int64_t grain = 1;  // fewest iterations worth a thread of their own
};

}  // namespace halo

#endif  // HALO_RUNTIME_KERNEL_CALL_H_
