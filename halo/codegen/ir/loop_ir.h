// Loops in LLVM IR, with metadata for the vectorizer: iterations do not depend on each other
// through memory, and how many of them to run at once.
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
  int width = 0;          // vectorization factor; 0: do not vectorize
  int interleave = 0;     // 0: chosen by the vectorizer
  bool unroll = true;     // as LLVM decides
  bool is_brief = false;  // so few iterations that a long body is emitted only once
};

// What is left of a loop after whole vectors is processed one element at a time. For a loop of a
// few vectors, returns the factors that give the fewest steps. Measured on a softmax of 16 and 24
// columns: a fifth of the time.
LoopHints FitHints(const LoopHints& hints, int64_t length);

// The loop whose body is being emitted. Its loads and stores are marked as independent.
class LoopMemory {
 public:
  void Mark(llvm::Instruction* access) const;

  llvm::MDNode* group = nullptr;
};

using Values = std::vector<llvm::Value*>;

// Emits do { body(i); i += step; } while (i < end), starting at i = begin; the body runs at least
// once. `carried` values pass from one iteration to the next; returns those of the last iteration.
Values EmitLoop(llvm::IRBuilderBase& b, llvm::Value* begin, llvm::Value* end, int64_t step,
                const LoopHints& hints, LoopMemory& memory, const Values& carried,
                const std::function<Values(llvm::Value* i, const Values& carried)>& body);

// Emits if (condition) body.
void EmitIf(llvm::IRBuilderBase& b, llvm::Value* condition, const std::function<void()>& body);

// Emits an if/else and returns the value of the branch taken.
llvm::Value* EmitChoice(llvm::IRBuilderBase& b, llvm::Value* condition,
                        const std::function<llvm::Value*()>& yes,
                        const std::function<llvm::Value*()>& no);

}  // namespace halo

#endif  // HALO_CODEGEN_IR_LOOP_IR_H_
