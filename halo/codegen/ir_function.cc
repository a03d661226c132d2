// Declaring, defining and calling the functions of ir_function.h.
#include "halo/codegen/ir_function.h"

#include <llvm/IR/Module.h>

namespace halo {
namespace {

llvm::Function* Declare(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                        llvm::ArrayRef<llvm::Value*> arguments,
                        llvm::GlobalValue::LinkageTypes linkage) {
  llvm::SmallVector<llvm::Type*, 4> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false), linkage,
                                          name, b.GetInsertBlock()->getModule());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setNoSync();
  function->addFnAttr(llvm::Attribute::NoFree);
  return function;
}

}  // namespace

llvm::Value* CallInline(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                        llvm::ArrayRef<llvm::Value*> arguments, IrBody body) {
  llvm::Function* function = b.GetInsertBlock()->getModule()->getFunction(name);
  if (function == nullptr) {
    function = Declare(b, name, result, arguments, llvm::GlobalValue::InternalLinkage);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    llvm::IRBuilder<> inside(llvm::BasicBlock::Create(b.getContext(), "", function));
    llvm::SmallVector<llvm::Value*, 4> parameters;
    for (llvm::Argument& argument : function->args()) parameters.push_back(&argument);
    inside.CreateRet(body(inside, parameters));
  }
  return b.CreateCall(function, arguments);
}

llvm::Value* CallLibrary(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Function* function = b.GetInsertBlock()->getModule()->getFunction(name);
  if (function == nullptr) {
    function = Declare(b, name, result, arguments, llvm::GlobalValue::ExternalLinkage);
  }
  return b.CreateCall(function, arguments);
}

}  // namespace halo
