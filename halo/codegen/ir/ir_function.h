// Small functions inside an LLVM module: defined once however often they are called, and always
// inlined, so that the code stays small until the passes run.
#ifndef HALO_CODEGEN_IR_IR_FUNCTION_H_
#define HALO_CODEGEN_IR_IR_FUNCTION_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

namespace halo {

using IrBody = llvm::function_ref<llvm::Value*(llvm::IRBuilderBase&, llvm::ArrayRef<llvm::Value*>)>;

// Calls the function with this name, defining it with `body` if the module does not have it yet.
// Functions with equal names must have equal bodies.
llvm::Value* CallInline(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                        llvm::ArrayRef<llvm::Value*> arguments, IrBody body);

// The same, with additional definitions for the given vector widths, which the vectorizer uses
// where its loops have that width. For operations that exist only as vector instructions. They are
// inlined after vectorization, by InlineWidened.
llvm::Value* CallWidened(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Value*> arguments, IrBody body,
                         llvm::ArrayRef<unsigned> lanes, IrBody wide);
// Allows them to be inlined from now on. Returns false if the module has none.
bool InlineWidened(llvm::Module& module);

// Calls a pure function of the C library or of runtime_functions.h.
llvm::Value* CallLibrary(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Value*> arguments);

}  // namespace halo

#endif  // HALO_CODEGEN_IR_IR_FUNCTION_H_
