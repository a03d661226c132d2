// The vectorization factors of loops that are only a few vectors long, or whose body is long.
#include "halo/codegen/ir/loop_ir.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <gtest/gtest.h>

namespace halo {
namespace {

void ExpectFit(int width, int interleave, int64_t length, int fit_width, int fit_interleave) {
  const LoopHints fit = FitHints({width, interleave, true}, length);
  EXPECT_EQ(fit.width, fit_width) << length;
  EXPECT_EQ(fit.interleave, fit_interleave) << length;
}

TEST(LoopIrTest, ShortLoopsAreWholeVectors) {
  ExpectFit(16, 4, 64, 16, 4);
  ExpectFit(16, 4, 48, 16, 1);
  ExpectFit(16, 4, 24, 8, 1);
  ExpectFit(16, 4, 12, 4, 1);
  ExpectFit(16, 2, 100, 16, 2);
  ExpectFit(16, 0, 32, 16, 2);
  ExpectFit(16, 0, 3, 2, 1);
  ExpectFit(16, 0, 1, 1, 1);
}

TEST(LoopIrTest, LongLoopsKeepTheirFactors) {
  ExpectFit(16, 0, 1024, 16, 0);
  ExpectFit(16, 8, 1 << 20, 16, 8);
}

// The interleave count in the metadata of a loop whose body has so many instructions.
int64_t InterleaveOf(bool is_brief, int instructions) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::IRBuilder<> b(context);
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {b.getInt64Ty()}, false),
                             llvm::GlobalValue::ExternalLinkage, "f", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  LoopMemory memory;
  EmitLoop(b, b.getInt64(0), function->getArg(0), 1,
           {.width = 8, .interleave = 2, .is_brief = is_brief}, memory, {},
           [&](llvm::Value* i, const Values&) {
             for (int k = 0; k < instructions; ++k) i = b.CreateMul(i, i);
             return Values();
           });
  b.CreateRetVoid();
  for (const llvm::BasicBlock& block : *function) {
    const llvm::MDNode* loop = block.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop);
    if (loop == nullptr) continue;
    for (const llvm::MDOperand& part : llvm::drop_begin(loop->operands())) {
      const auto* hint = llvm::cast<llvm::MDNode>(part);
      if (llvm::cast<llvm::MDString>(hint->getOperand(0))->getString() ==
          "llvm.loop.interleave.count") {
        return llvm::mdconst::extract<llvm::ConstantInt>(hint->getOperand(1))->getSExtValue();
      }
    }
  }
  return 0;
}

TEST(LoopIrTest, LongBodiesOfBriefLoopsAreNotInterleaved) {
  EXPECT_EQ(InterleaveOf(true, 10), 2);
  EXPECT_EQ(InterleaveOf(true, 200), 1);
  EXPECT_EQ(InterleaveOf(false, 200), 2);
}

}  // namespace
}  // namespace halo
