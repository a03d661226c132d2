// What a compiled module does, as a printable value: its memory, and its steps in execution order.
// Codegen builds it; execute.h runs it.
#ifndef HALO_RUNTIME_EXECUTABLE_H_
#define HALO_RUNTIME_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "halo/ir/module.h"
#include "halo/runtime/collective.h"
#include "halo/runtime/kernel_call.h"
#include "halo/runtime/library_op.h"

namespace halo {

// A range of one of the executable's allocations.
struct BufferRef {
  uint32_t allocation = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
};

struct ExecutableAllocation {
  enum class Kind : uint8_t { kParameter, kConstant, kTemporary };
  Kind kind = Kind::kTemporary;
  int64_t bytes = 0;
  bool lives_out = false;  // holds results when the program ends
  bool is_written = true;  // by some step; unwritten parameters stay in the caller's memory
  int64_t parameter = -1;  // the parameter number; `leaf` is its array leaf
  uint32_t leaf = 0;
  std::vector<uint8_t> bits;  // of a constant, in memory layout
};

struct Step {
  enum class Kind : uint8_t {
    kKernel,       // compiled functions
    kLibrary,      // a library call
    kReference,    // evaluated by the definition of its op
    kLoop,         // blocks: condition, body; buffers[0] is the condition's result
    kConditional,  // blocks: branches; buffers[0] is the index or predicate
    kCall,         // blocks: the computation
    kCollective,   // starts one of the executable's collectives; devices continue
    kAwait,        // waits until that collective's results are available
  };
  Kind kind = Kind::kReference;
  InstId inst;
  // Array leaves of the operands, then of the result, then temporary memory, if any.
  std::vector<BufferRef> buffers;
  std::vector<KernelCall> calls;
  std::shared_ptr<LibraryOp> library;
  std::vector<uint32_t> blocks;
  bool is_predicated = false;  // a conditional over pred
  // A loop whose iterations are one call; its blocks are not run. The buffers are the call's, and
  // the last one holds a LoopProgress.
  bool is_whole = false;
  uint32_t collective = 0;  // index into Executable::collectives
  std::string why;          // for a reference step: why it was not compiled
};

// What a call of a whole loop did. It runs at most as many iterations as its range has, and at
// least one if the condition holds.
struct LoopProgress {
  int64_t iterations = 0;
  int64_t is_done = 0;  // the condition does not hold
};

struct Block {
  CompId comp;
  std::vector<Step> steps;
};

struct Executable {
  std::vector<ExecutableAllocation> allocations;
  std::vector<Block> blocks;              // the entry comes first
  std::vector<BufferRef> results;         // array leaves of the entry's result
  int64_t scratch_bytes = 0;              // the largest scratch size of any library step
  std::vector<CollectiveOp> collectives;  // between the devices of a run

  // Total memory: parameters, constants, temporaries and results.
  [[nodiscard]] int64_t TotalBytes() const;
};

// By block: whether its steps run by themselves, not as part of a whole loop.
std::vector<bool> RunBlocks(const Executable& plan);

// One line per step, indented by block, with what computes the step and where its values are
// stored.
std::string ExecutableText(const Module& module, const Executable& plan);

std::string_view TextOf(Step::Kind kind);

}  // namespace halo

#endif  // HALO_RUNTIME_EXECUTABLE_H_
