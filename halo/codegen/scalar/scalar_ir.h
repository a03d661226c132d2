// Emits one element of each elementwise op as LLVM instructions on registers that the loop
// vectorizer can widen: arithmetic, comparisons, conversions between all element types with HLO's
// rounding, and transcendental functions with stated error bounds.
#ifndef HALO_CODEGEN_SCALAR_SCALAR_IR_H_
#define HALO_CODEGEN_SCALAR_SCALAR_IR_H_

#include <span>

#include "halo/ir/module.h"
#include "halo/ir/types/element_type.h"

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class Type;
class Value;
}  // namespace llvm

namespace halo {

// The type of an element in memory (i8 for pred and for everything up to a byte; i16 for bf16 and
// f16; float, double; integers; two floats for c64).
llvm::Type* StoredType(llvm::LLVMContext& context, ElementType type);
// The type used in computations: i1 for pred, float for bf16, f16, the 8-bit and smaller floats,
// {float, float} for c64; integers of their width (i8 for s4 and smaller, kept in range).
llvm::Type* ComputedType(llvm::LLVMContext& context, ElementType type);
// Convert from stored to computed form and back. Storing a small float rounds to nearest even, with
// HLO's treatment of overflow and NaN for its type.
llvm::Value* Widen(llvm::IRBuilderBase& b, ElementType type, llvm::Value* stored);
llvm::Value* Narrow(llvm::IRBuilderBase& b, ElementType type, llvm::Value* computed);
// Rounds a computed value to what its type can hold, without storing it, as HLO does with the
// result of every instruction. Does nothing for types that are computed in their own width.
llvm::Value* Round(llvm::IRBuilderBase& b, ElementType type, llvm::Value* computed);

// True if EmitScalarOp below covers the instruction.
bool IsScalarOp(const Module& module, const Inst& inst);
// The instruction's result for one element, in computed form and rounded. Each operand must be in
// the computed form of its element type.
llvm::Value* EmitScalarOp(llvm::IRBuilderBase& b, const Module& module, const Inst& inst,
                          std::span<llvm::Value* const> operands);
// True if the op on f64 calls a function of the C library, so that no loop over it is vectorized.
bool CallsLibrary(Opcode opcode);

}  // namespace halo

#endif  // HALO_CODEGEN_SCALAR_SCALAR_IR_H_
