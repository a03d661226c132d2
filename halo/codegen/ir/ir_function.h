// Small functions inside an LLVM module: made once, however often they are called, and always
// inlined, so that the code stays small until the passes run.
#ifndef HALO_CODEGEN_IR_IR_FUNCTION_H_
#define HALO_CODEGEN_IR_IR_FUNCTION_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

namespace halo {

using IrBody = llvm::function_ref<llvm::Value*(llvm::IRBuilderBase&, llvm::ArrayRef<llvm::Value*>)>;

// Calls the function of this name, with `body` as its definition if the module has none yet. Equal
// names must mean equal bodies.
llvm::Value* CallInline(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                        llvm::ArrayRef<llvm::Value*> arguments, IrBody body);

// The same with further definitions for so many lanes at once, which the vectoriser takes where its
// loops are as wide: for instructions that only vectors have. Inlined after the vectoriser ran, by
// InlineWidened.
llvm::Value* CallWidened(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Value*> arguments, IrBody body,
                         llvm::ArrayRef<unsigned> lanes, IrBody wide);
// Lets them be inlined from now on; false if the module has none.
bool InlineWidened(llvm::Module& module);

// Calls a function of the C library, or one of runtime_functions.h, that only computes.
llvm::Value* CallLibrary(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Value*> arguments);

}  // namespace halo

#endif  // HALO_CODEGEN_IR_IR_FUNCTION_H_
