// For tests: compiles the root of a module, an elementwise op on parameters, as a kernel over all
// elements.
#ifndef HALO_CODEGEN_TEST_ELEMENTWISE_KERNEL_H_
#define HALO_CODEGEN_TEST_ELEMENTWISE_KERNEL_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <string>
#include <vector>

#include "halo/codegen/jit/jit.h"
#include "halo/codegen/scalar/scalar_ir.h"
#include "halo/ir/module.h"

namespace halo {

inline llvm::MDNode* Vectorized(llvm::LLVMContext& context, int width) {
  const auto named = [&](const char* name, llvm::Constant* value) {
    return llvm::MDNode::get(
        context, {llvm::MDString::get(context, name), llvm::ConstantAsMetadata::get(value)});
  };
  auto* one = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<unsigned>(width));
  auto* id = llvm::MDNode::getDistinct(
      context, {nullptr, named("llvm.loop.vectorize.width", one),
                named("llvm.loop.vectorize.enable", llvm::ConstantInt::getTrue(context))});
  id->replaceOperandWith(0, id);
  return id;
}

// for (i = begin; i < end; ++i) out[i] = op(in0[i], ...)
inline void EmitElementwiseKernel(const Module& module, const std::string& symbol, int width,
                                  llvm::Module& out) {
  llvm::LLVMContext& context = out.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type* i64 = b.getInt64Ty();
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), i64, i64}, false),
      llvm::GlobalValue::ExternalLinkage, symbol, out);
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  const Inst& root = module.inst(module.comp(module.entry).root);
  b.SetInsertPoint(entry);
  std::vector<llvm::Value*> buffers;
  for (unsigned i = 0; i <= root.operand_count; ++i) {
    buffers.push_back(
        b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), function->getArg(0), i)));
  }
  b.CreateCondBr(b.CreateICmpSLT(function->getArg(1), function->getArg(2)), loop, done);
  b.SetInsertPoint(loop);
  llvm::PHINode* index = b.CreatePHI(i64, 2);
  index->addIncoming(function->getArg(1), entry);
  std::vector<llvm::Value*> operands;
  for (unsigned i = 0; i < root.operand_count; ++i) {
    const InstId operand = module.operands_of(root)[i];
    const ElementType type = module.shapes.type(module.inst(operand).shape);
    llvm::Type* stored = StoredType(context, type);
    operands.push_back(
        Widen(b, type, b.CreateLoad(stored, b.CreateGEP(stored, buffers[i], index))));
  }
  const ElementType type = module.shapes.type(root.shape);
  llvm::Value* result = EmitScalarOp(b, module, root, operands);
  b.CreateStore(Narrow(b, type, result),
                b.CreateGEP(StoredType(context, type), buffers.back(), index));
  llvm::Value* next = b.CreateAdd(index, b.getInt64(1));
  index->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpSLT(next, function->getArg(2)), loop, done)
      ->setMetadata(llvm::LLVMContext::MD_loop, Vectorized(context, width));
  b.SetInsertPoint(done);
  b.CreateRetVoid();
}

}  // namespace halo

#endif  // HALO_CODEGEN_TEST_ELEMENTWISE_KERNEL_H_
