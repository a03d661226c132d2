// Constants of a module as LLVM constants.
#ifndef HALO_CODEGEN_SCALAR_SCALAR_CONSTANT_H_
#define HALO_CODEGEN_SCALAR_SCALAR_CONSTANT_H_

#include <cstdint>
#include <span>

#include "halo/ir/module.h"

namespace llvm {
class Constant;
class IRBuilderBase;
class LLVMContext;
class Value;
}  // namespace llvm

namespace halo {

// One element from its bits, in stored form.
llvm::Constant* StoredConstant(llvm::LLVMContext& context, ElementType type,
                               std::span<const uint8_t> bits);
// The first element of a literal in computed form; null if its value is unknown.
llvm::Value* ScalarConstant(llvm::IRBuilderBase& b, const Module& module, LiteralId literal);
// The elements in row-major order as read-only memory; null if they are unknown.
llvm::Value* ConstantMemory(llvm::IRBuilderBase& b, const Module& module, LiteralId literal);

}  // namespace halo

#endif  // HALO_CODEGEN_SCALAR_SCALAR_CONSTANT_H_
