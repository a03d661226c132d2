// Declares, defines and calls the functions of ir_function.h.
#include "halo/codegen/ir/ir_function.h"

#include <llvm/IR/Module.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <string>
#include <vector>

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

constexpr const char* kInlinedLate = "halo-inlined-late";

void Define(llvm::Function& function, IrBody body) {
  llvm::IRBuilder<> inside(llvm::BasicBlock::Create(function.getContext(), "", &function));
  llvm::SmallVector<llvm::Value*, 4> parameters;
  for (llvm::Argument& argument : function.args()) parameters.push_back(&argument);
  inside.CreateRet(body(inside, parameters));
}

std::string WideName(llvm::StringRef name, unsigned lanes) {
  return (name + ".x" + std::to_string(lanes)).str();
}

}  // namespace

llvm::Value* CallInline(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                        llvm::ArrayRef<llvm::Value*> arguments, IrBody body) {
  llvm::Function* function = b.GetInsertBlock()->getModule()->getFunction(name);
  if (function == nullptr) {
    function = Declare(b, name, result, arguments, llvm::GlobalValue::InternalLinkage);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    Define(*function, body);
  }
  return b.CreateCall(function, arguments);
}

llvm::Value* CallWidened(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Value*> arguments, IrBody body,
                         llvm::ArrayRef<unsigned> lanes, IrBody wide) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) {
    function = Declare(b, name, result, arguments, llvm::GlobalValue::InternalLinkage);
    function->addFnAttr(kInlinedLate);
    Define(*function, body);
    for (const unsigned each : lanes) {
      llvm::SmallVector<llvm::Value*, 4> vectors;
      for (llvm::Value* argument : arguments) {
        vectors.push_back(
            llvm::PoisonValue::get(llvm::FixedVectorType::get(argument->getType(), each)));
      }
      llvm::Function* of_vectors =
          Declare(b, WideName(name, each), llvm::FixedVectorType::get(result, each), vectors,
                  llvm::GlobalValue::InternalLinkage);
      of_vectors->addFnAttr(kInlinedLate);
      Define(*of_vectors, wide);
      // Keep it alive: until vectorization nothing in the module calls it.
      llvm::appendToCompilerUsed(module, {of_vectors});
    }
  }
  llvm::CallInst* call = b.CreateCall(function, arguments);
  llvm::SmallVector<std::string, 4> variants;
  for (const unsigned each : lanes) {
    variants.push_back("_ZGV_LLVM_N" + std::to_string(each) + std::string(arguments.size(), 'v') +
                       "_" + name.str() + "(" + WideName(name, each) + ")");
  }
  llvm::VFABI::setVectorVariantNames(call, variants);
  return call;
}

bool InlineWidened(llvm::Module& module) {
  bool found = false;
  for (llvm::Function& function : module) {
    if (!function.hasFnAttribute(kInlinedLate)) continue;
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    found = true;
  }
  if (found) {
    llvm::removeFromUsedLists(module, [](llvm::Constant* used) {
      const auto* function = llvm::dyn_cast<llvm::Function>(used->stripPointerCasts());
      return function != nullptr && function->hasFnAttribute(kInlinedLate);
    });
  }
  return found;
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
