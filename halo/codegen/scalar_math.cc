// Transcendental functions by the C library.
#include "halo/codegen/ir_function.h"
#include "halo/codegen/scalar_parts.h"

namespace halo {
namespace {

const char* LibraryName(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos: return "acos";
    case Opcode::kAcosh: return "acosh";
    case Opcode::kAsin: return "asin";
    case Opcode::kAsinh: return "asinh";
    case Opcode::kAtan2: return "atan2";
    case Opcode::kAtanh: return "atanh";
    case Opcode::kCbrt: return "cbrt";
    case Opcode::kCos: return "cos";
    case Opcode::kCosh: return "cosh";
    case Opcode::kErf: return "erf";
    case Opcode::kExp:
    case Opcode::kLogistic: return "exp";
    case Opcode::kExpm1: return "expm1";
    case Opcode::kLog: return "log";
    case Opcode::kLog1p: return "log1p";
    case Opcode::kPower: return "pow";
    case Opcode::kSin: return "sin";
    case Opcode::kSinh: return "sinh";
    case Opcode::kTan: return "tan";
    case Opcode::kTanh: return "tanh";
    default: return nullptr;
  }
}

}  // namespace

llvm::Value* EmitMathOp(IrBuilder& b, Opcode opcode, IrValues in) {
  llvm::Type* type = in[0]->getType();
  llvm::Value* one = llvm::ConstantFP::get(type, 1.0);
  if (opcode == Opcode::kRsqrt) {
    return b.CreateFDiv(one, b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, in[0]));
  }
  const char* name = LibraryName(opcode);
  if (name == nullptr) return nullptr;
  if (opcode == Opcode::kLogistic && !type->isDoubleTy()) {
    llvm::Value* wide = b.CreateFPExt(in[0], b.getDoubleTy());
    return b.CreateFPTrunc(EmitMathOp(b, opcode, {wide}), type);
  }
  llvm::SmallVector<llvm::Value*, 2> arguments(in.begin(), in.end());
  if (opcode == Opcode::kLogistic) arguments[0] = b.CreateFNeg(in[0]);
  llvm::Value* value =
      CallLibrary(b, type->isDoubleTy() ? name : std::string(name) + "f", type, arguments);
  if (opcode != Opcode::kLogistic) return value;
  return b.CreateFDiv(one, b.CreateFAdd(one, value));
}

}  // namespace halo
