// Selects which functions are emitted inline and which call the C library: those of f64 that are
// not exponentials or logarithms, since they need full precision.
#include <string>

#include "halo/codegen/ir/ir_function.h"
#include "halo/codegen/scalar/math_ir.h"
#include "halo/codegen/scalar/scalar_ir.h"
#include "halo/codegen/scalar/scalar_parts.h"

namespace halo {
namespace {

llvm::Value* EmitFloatMath(IrBuilder& b, Opcode opcode, IrValues in) {
  switch (opcode) {
    case Opcode::kAcos: return EmitAcos(b, in[0]);
    case Opcode::kAcosh: return EmitAcosh(b, in[0]);
    case Opcode::kAsin: return EmitAsin(b, in[0]);
    case Opcode::kAsinh: return EmitAsinh(b, in[0]);
    case Opcode::kAtan2: return EmitAtan2(b, in[0], in[1]);
    case Opcode::kAtanh: return EmitAtanh(b, in[0]);
    case Opcode::kCbrt: return EmitCbrt(b, in[0]);
    case Opcode::kCos: return EmitCos(b, in[0]);
    case Opcode::kCosh: return EmitCosh(b, in[0]);
    case Opcode::kErf: return EmitErf(b, in[0]);
    case Opcode::kPower: return EmitPower(b, in[0], in[1]);
    case Opcode::kSin: return EmitSin(b, in[0]);
    case Opcode::kSinh: return EmitSinh(b, in[0]);
    case Opcode::kTan: return EmitTan(b, in[0]);
    default: return nullptr;
  }
}

// Also of doubles.
llvm::Value* EmitExpOrLog(IrBuilder& b, Opcode opcode, llvm::Value* x) {
  switch (opcode) {
    case Opcode::kExp: return EmitExp(b, x);
    case Opcode::kExpm1: return EmitExpm1(b, x);
    case Opcode::kLog: return EmitLog(b, x);
    case Opcode::kLog1p: return EmitLog1p(b, x);
    case Opcode::kLogistic: return EmitLogistic(b, x);
    case Opcode::kTanh: return EmitTanh(b, x);
    default: return nullptr;
  }
}

const char* LibraryName(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos: return "acos";
    case Opcode::kAsin: return "asin";
    case Opcode::kAsinh: return "asinh";
    case Opcode::kAtan2: return "atan2";
    case Opcode::kAtanh: return "atanh";
    case Opcode::kCbrt: return "cbrt";
    case Opcode::kCos: return "cos";
    case Opcode::kErf: return "erf";
    case Opcode::kPower: return "pow";
    case Opcode::kSin: return "sin";
    case Opcode::kSinh: return "sinh";
    case Opcode::kTan: return "tan";
    default: return nullptr;
  }
}

}  // namespace

bool CallsLibrary(Opcode opcode) { return LibraryName(opcode) != nullptr; }

llvm::Value* EmitMathOp(IrBuilder& b, Opcode opcode, IrValues in) {
  const Real real(b, in[0]);
  if (opcode == Opcode::kRsqrt) return b.CreateFDiv(real.C(1), real.Sqrt(in[0]));
  if (llvm::Value* value = EmitExpOrLog(b, opcode, in[0])) return value;
  if (!real.is_double()) return EmitFloatMath(b, opcode, in);
  if (opcode == Opcode::kAcosh) return EmitAcoshOfDouble(b, in[0]);
  if (opcode == Opcode::kCosh) return EmitCoshOfDouble(b, in[0]);
  const char* name = LibraryName(opcode);
  return name == nullptr ? nullptr : CallLibrary(b, name, real.type(), in);
}

}  // namespace halo
