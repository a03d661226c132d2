// Loops of small kernels as one compiled function, so that an iteration costs neither a dispatch of
// each step nor a thread's wake-up, and values pass from one kernel to the next in registers.
// Decides which loops are worth it and emits their functions; what a kernel computes is decided
// elsewhere.
#ifndef HALO_CODEGEN_WHOLE_LOOP_H_
#define HALO_CODEGEN_WHOLE_LOOP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halo/codegen/jit/jit.h"
#include "halo/runtime/executable.h"

namespace halo {

// One step of a loop: the calls of a kernel, or a copy of bytes from the first buffer to the
// second.
struct LoopPart {
  std::string key;  // of the kernel; empty for a copy
  std::vector<KernelCall> calls;
  std::function<void(llvm::Module&)> emit;  // adds the functions of `calls`
  int64_t emitted = 0;                      // number of instructions that `emit` adds
  std::vector<BufferRef> buffers;
};

struct LoopParts {
  std::vector<LoopPart> condition, body;
  BufferRef predicate;  // the result of the condition
  BufferRef progress;   // memory for a LoopProgress that no part uses
};

struct WholeLoop {
  JitUnit unit;
  KernelCall call;
  std::vector<BufferRef> buffers;  // of the call; the last one is the progress
};

// Returns nullopt for a loop that is better run step by step: large kernels, which threads should
// share, or many of them, where the dispatch does not matter.
std::optional<WholeLoop> MakeWholeLoop(const LoopParts& parts);

}  // namespace halo

#endif  // HALO_CODEGEN_WHOLE_LOOP_H_
