// Loops in LLVM's form, with what its vectoriser is to be told: iterations do not depend on each
// other through memory, and how many of them to do at once.
#ifndef HALO_CODEGEN_IR_LOOP_IR_H_
#define HALO_CODEGEN_IR_LOOP_IR_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace llvm {
class IRBuilderBase;
class Instruction;
class MDNode;
class Value;
}  // namespace llvm

namespace halo {

struct LoopHints {
  int width = 0;       // iterations side by side; 0: do not vectorise
  int interleave = 0;  // 0: the vectoriser's choice
  bool unroll = true;  // by LLVM's choice
};

// The loop whose body is being emitted; loads and stores in it are marked as independent.
class LoopMemory {
 public:
  void Mark(llvm::Instruction* access) const;

  llvm::MDNode* group = nullptr;
};

using Values = std::vector<llvm::Value*>;

// for (i = begin; i < end; i += step) body(i), at least once. `carried` values go from one
// iteration to the next; what the last one gave is returned.
Values EmitLoop(llvm::IRBuilderBase& b, llvm::Value* begin, llvm::Value* end, int64_t step,
                const LoopHints& hints, LoopMemory& memory, const Values& carried,
                const std::function<Values(llvm::Value* i, const Values& carried)>& body);

// if (condition) body, nothing otherwise.
void EmitIf(llvm::IRBuilderBase& b, llvm::Value* condition, const std::function<void()>& body);

// The value of one of two branches.
llvm::Value* EmitChoice(llvm::IRBuilderBase& b, llvm::Value* condition,
                        const std::function<llvm::Value*()>& yes,
                        const std::function<llvm::Value*()>& no);

}  // namespace halo

#endif  // HALO_CODEGEN_IR_LOOP_IR_H_
