// The parts of scalar_ir.h, one per kind of number. Values are in computed form.
#ifndef HALO_CODEGEN_SCALAR_SCALAR_PARTS_H_
#define HALO_CODEGEN_SCALAR_SCALAR_PARTS_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>

#include "halo/eval/lanes/lane_kernels.h"

namespace halo {

using IrBuilder = llvm::IRBuilderBase;
using IrValues = llvm::ArrayRef<llvm::Value*>;

// The significant bits of an integer type; 1 for pred.
int CountedBits(ElementType type);
inline bool IsSigned(ElementType type) { return InfoOf(type).klass == ElementClass::kSigned; }

// HLO's convert.
llvm::Value* EmitConvert(IrBuilder& b, ElementType from, ElementType to, llvm::Value* value);
// Converts a float or double that an op computed to the computed form of its element type.
llvm::Value* ToFloatType(IrBuilder& b, ElementType type, llvm::Value* value);

// Integers of any width in an LLVM integer at least that wide, sign- or zero-extended. Only the
// lowest `bits` of the result are valid. Pred is treated as a one-bit unsigned integer.
llvm::Value* EmitIntegerOp(IrBuilder& b, Opcode opcode, bool is_signed, int bits, IrValues in);
// Operands are all float or all double. Compares and is-finite return i1; everything else returns
// the operand type, not rounded.
llvm::Value* EmitFloatOp(IrBuilder& b, const LaneOp& op, IrValues in);
// Transcendental functions and powers: see math_ir.h.
llvm::Value* EmitMathOp(IrBuilder& b, Opcode opcode, IrValues in);
// Operands are all {float, float} or all {double, double}; real results are float or double
// accordingly.
llvm::Value* EmitComplexOp(IrBuilder& b, const LaneOp& op, IrValues in);

// HLO's maximum and minimum for one kind of number. Of floats: NaN if either is NaN, and -0 is less
// than 0.
llvm::Value* EmitLarger(IrBuilder& b, llvm::Value* x, llvm::Value* y, bool is_signed);
llvm::Value* EmitSmaller(IrBuilder& b, llvm::Value* x, llvm::Value* y, bool is_signed);

}  // namespace halo

#endif  // HALO_CODEGEN_SCALAR_SCALAR_PARTS_H_
