// What a compiled module does, as a value that can be printed: where its memory is, and which steps
// run in which order. Made by codegen; execute.h carries it out.
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

// A stretch of one of the plan's allocations.
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
  bool is_written = true;  // by some step: a parameter's is its owner's own otherwise
  int64_t parameter = -1;  // its number, and which array leaf of it
  uint32_t leaf = 0;
  std::vector<uint8_t> bits;  // of a constant, as it lies in memory
};

struct Step {
  enum class Kind : uint8_t {
    kKernel,       // compiled functions
    kLibrary,      // a library's
    kReference,    // evaluated by the definition of its op
    kLoop,         // blocks: condition, body; buffers[0] is the condition's result
    kConditional,  // blocks: branches; buffers[0] is the index or predicate
    kCall,         // blocks: the computation
    kCollective,   // begins one of the plan's collectives; devices go on meanwhile
    kAwait,        // until that one's results are there
  };
  Kind kind = Kind::kReference;
  InstId inst;
  // Array leaves of the operands, then of the result; then temporary memory, if any.
  std::vector<BufferRef> buffers;
  std::vector<KernelCall> calls;
  std::shared_ptr<LibraryOp> library;
  std::vector<uint32_t> blocks;
  bool is_predicated = false;  // a conditional over true and false
  uint32_t collective = 0;     // a row of the plan's
  std::string why;             // a reference step: what kept it from being compiled
};

struct Block {
  CompId comp;
  std::vector<Step> steps;
};

struct Executable {
  std::vector<ExecutableAllocation> allocations;
  std::vector<Block> blocks;              // the entry's first
  std::vector<BufferRef> results;         // array leaves of the entry's result
  int64_t scratch_bytes = 0;              // the most that any step's library needs
  std::vector<CollectiveOp> collectives;  // between the devices of a run

  // All memory it needs: parameters, constants, temporaries and results.
  [[nodiscard]] int64_t TotalBytes() const;
};

// One line for each step, indented by block, with what computes it and where its values lie.
std::string ExecutableText(const Module& module, const Executable& plan);

std::string_view TextOf(Step::Kind kind);

}  // namespace halo

#endif  // HALO_RUNTIME_EXECUTABLE_H_
