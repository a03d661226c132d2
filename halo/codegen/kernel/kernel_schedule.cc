// Sets up the function of a kernel: arguments, addresses, attributes.
#include "halo/codegen/kernel/kernel_schedule.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

namespace halo {
namespace {

void Decorate(llvm::Function& function) {
  function.addFnAttr("prefer-vector-width", "512");
  function.addFnAttr(llvm::Attribute::NoUnwind);
  function.addParamAttr(0, llvm::Attribute::NoAlias);
  function.addParamAttr(0, llvm::Attribute::ReadOnly);
}

llvm::Value* LoadBase(llvm::IRBuilderBase& b, llvm::Function& function, unsigned number) {
  llvm::Value* slot = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), function.getArg(0), number);
  llvm::LoadInst* base = b.CreateLoad(b.getPtrTy(), slot);
  base->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return base;
}

}  // namespace

llvm::Value* KernelFrame::Temp() const {
  return LoadBase(b, *b.GetInsertBlock()->getParent(), emitter.body().temp_leaf());
}

llvm::Value* KernelFrame::Number(int64_t value) const {
  return b.getInt64(static_cast<uint64_t>(value));
}

llvm::Value* KernelFrame::EndOf(llvm::Value* from, int64_t length, llvm::Value* limit) const {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateNSWAdd(from, Number(length)),
                                 limit);
}

llvm::Value* KernelFrame::Local(llvm::Type* type, int64_t count) const {
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  llvm::AllocaInst* local = at.CreateAlloca(type, Number(count));
  local->setAlignment(llvm::Align(64));
  return local;
}

bool WriteFunction(llvm::Module& module, const std::string& symbol, const KernelBody& body,
                   const KernelCode& code, std::string& why, std::vector<IndexExpr>* log) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> b(context);
  auto* type =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
  llvm::Function* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  Decorate(*function);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", function);
  llvm::BasicBlock* start = llvm::BasicBlock::Create(context, "start", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "done", function);
  b.SetInsertPoint(entry);
  llvm::Value* begin = function->getArg(1);
  llvm::Value* end = function->getArg(2);
  Values bases;
  for (unsigned i = 0; i < body.buffers.size(); ++i) bases.push_back(LoadBase(b, *function, i));
  b.CreateCondBr(b.CreateICmpSLT(begin, end), start, done);
  b.SetInsertPoint(start);
  IndexSpace space;
  space.log = log;
  LoopMemory memory;
  ElementEmitter emitter(body, b, space, memory, std::move(bases));
  KernelFrame frame{b, space, memory, emitter, begin, end};
  code(frame);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  if (emitter.failed()) why = emitter.why();
  return !emitter.failed();
}

bool TryFunction(const KernelBody& body, const KernelCode& code, std::string& why,
                 std::vector<IndexExpr>* log, int64_t* emitted) {
  llvm::LLVMContext context;
  llvm::Module module("probe", context);
  const bool written = WriteFunction(module, "probe", body, code, why, log);
  if (emitted != nullptr) *emitted += static_cast<int64_t>(module.getInstructionCount());
  return written;
}

}  // namespace halo
