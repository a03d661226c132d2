// Emits the basic blocks and metadata of loops.
#include "halo/codegen/ir/loop_ir.h"

#include <algorithm>
#include <limits>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

namespace halo {
namespace {

llvm::BasicBlock* NewBlock(llvm::IRBuilderBase& b, const char* name) {
  return llvm::BasicBlock::Create(b.getContext(), name, b.GetInsertBlock()->getParent());
}

llvm::Metadata* Hint(llvm::LLVMContext& context, const char* name, int64_t value, unsigned bits) {
  llvm::Type* type = llvm::Type::getIntNTy(context, bits);
  return llvm::MDNode::get(
      context,
      {llvm::MDString::get(context, name),
       llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, static_cast<uint64_t>(value)))});
}

llvm::MDNode* LoopMetadata(llvm::LLVMContext& context, const LoopHints& hints,
                           llvm::MDNode* group) {
  std::vector<llvm::Metadata*> parts = {nullptr};
  parts.push_back(llvm::MDNode::get(
      context, {llvm::MDString::get(context, "llvm.loop.parallel_accesses"), group}));
  parts.push_back(Hint(context, "llvm.loop.vectorize.enable", hints.width > 1 ? 1 : 0, 1));
  if (hints.width > 1) parts.push_back(Hint(context, "llvm.loop.vectorize.width", hints.width, 32));
  if (hints.interleave > 0) {
    parts.push_back(Hint(context, "llvm.loop.interleave.count", hints.interleave, 32));
  }
  if (!hints.unroll) {
    parts.push_back(
        llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.unroll.disable")}));
  }
  llvm::MDNode* node = llvm::MDNode::getDistinct(context, parts);
  node->replaceOperandWith(0, node);
  return node;
}

// The instructions of the blocks from `first` to the last one of its function, and of the functions
// that they call.
size_t SizeOf(const llvm::BasicBlock& first) {
  size_t size = 0;
  for (auto block = first.getIterator(); block != first.getParent()->end(); ++block) {
    for (const llvm::Instruction& each : *block) {
      ++size;
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&each);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      size += call->getCalledFunction()->getInstructionCount();
    }
  }
  return size;
}

LoopHints ForSize(LoopHints hints, const llvm::BasicBlock& first) {
  constexpr size_t kLong = 100;
  if (hints.is_brief && SizeOf(first) >= kLong) hints.interleave = 1;
  return hints;
}

}  // namespace

LoopHints FitHints(const LoopHints& hints, int64_t length) {
  constexpr int64_t kManyVectors = 64;
  if (length >= kManyVectors * hints.width) return hints;
  LoopHints best = hints;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int width = hints.width; width >= 1; width /= 2) {
    for (int count = hints.interleave == 0 ? 2 : hints.interleave; count >= 1; count /= 2) {
      if (width * count > std::max<int64_t>(length, 1)) continue;
      const int64_t steps = length / (width * count) * count + length % (width * count);
      if (steps >= fewest) continue;
      fewest = steps;
      best.width = width;
      best.interleave = count;
    }
  }
  return best;
}

void LoopMemory::Mark(llvm::Instruction* access) const {
  if (group != nullptr) access->setMetadata(llvm::LLVMContext::MD_access_group, group);
}

Values EmitLoop(llvm::IRBuilderBase& b, llvm::Value* begin, llvm::Value* end, int64_t step,
                const LoopHints& hints, LoopMemory& memory, const Values& carried,
                const std::function<Values(llvm::Value* i, const Values& carried)>& body) {
  llvm::LLVMContext& context = b.getContext();
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* loop = NewBlock(b, "loop");
  llvm::BasicBlock* after = NewBlock(b, "after");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2, "i");
  i->addIncoming(begin, before);
  std::vector<llvm::PHINode*> phis;
  Values now;
  for (llvm::Value* value : carried) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    now.push_back(phis.back());
  }
  llvm::MDNode* outer = memory.group;
  memory.group = llvm::MDNode::getDistinct(context, {});
  const Values next = body(i, now);
  llvm::Value* i_next = b.CreateNSWAdd(i, b.getInt64(static_cast<uint64_t>(step)));
  i->addIncoming(i_next, b.GetInsertBlock());
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], b.GetInsertBlock());
  llvm::BranchInst* latch = b.CreateCondBr(b.CreateICmpSLT(i_next, end), loop, after);
  latch->setMetadata(llvm::LLVMContext::MD_loop,
                     LoopMetadata(context, ForSize(hints, *loop), memory.group));
  memory.group = outer;
  b.SetInsertPoint(after);
  return next;
}

void EmitIf(llvm::IRBuilderBase& b, llvm::Value* condition, const std::function<void()>& body) {
  llvm::BasicBlock* yes = NewBlock(b, "then");
  llvm::BasicBlock* after = NewBlock(b, "after");
  b.CreateCondBr(condition, yes, after);
  b.SetInsertPoint(yes);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

llvm::Value* EmitChoice(llvm::IRBuilderBase& b, llvm::Value* condition,
                        const std::function<llvm::Value*()>& yes,
                        const std::function<llvm::Value*()>& no) {
  llvm::BasicBlock* then_block = NewBlock(b, "then");
  llvm::BasicBlock* else_block = NewBlock(b, "else");
  llvm::BasicBlock* after = NewBlock(b, "after");
  b.CreateCondBr(condition, then_block, else_block);
  b.SetInsertPoint(then_block);
  llvm::Value* first = yes();
  llvm::BasicBlock* first_end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(else_block);
  llvm::Value* second = no();
  llvm::BasicBlock* second_end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  llvm::PHINode* phi = b.CreatePHI(first->getType(), 2);
  phi->addIncoming(first, first_end);
  phi->addIncoming(second, second_end);
  return phi;
}

}  // namespace halo
