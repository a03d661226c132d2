// The table of functions that generated code calls. Each one calls the lane kernel that defines it.
#include "halo/codegen/ir/runtime_functions.h"

#include <array>
#include <complex>
#include <utility>
#include <vector>

#include "halo/eval/lanes/lane_kernels.h"

namespace halo {
namespace {

// Returned in two registers under the C calling convention.
struct ComplexResult {
  double real, imag;
};

template <Opcode opcode>
ComplexResult ComplexFunction(double a_real, double a_imag, double b_real, double b_imag) {
  static const LaneKernel kKernel = FindComplexKernel(opcode);
  const std::complex<double> a(a_real, a_imag);
  const std::complex<double> b(b_real, b_imag);
  std::complex<double> out;
  const std::array<const void*, 2> in = {&a, &b};
  kKernel(LaneOp{}, in.data(), &out, 1);
  return {out.real(), out.imag()};
}

int64_t PowerSigned(int64_t base, int64_t exponent) {
  static const LaneKernel kKernel = FindIntKernel(Opcode::kPower);
  int64_t out = 0;
  const std::array<const void*, 2> in = {&base, &exponent};
  kKernel(LaneOp{}, in.data(), &out, 1);
  return out;
}

uint64_t PowerUnsigned(uint64_t base, uint64_t exponent) {
  static const LaneKernel kKernel = FindUintKernel(Opcode::kPower);
  uint64_t out = 0;
  const std::array<const void*, 2> in = {&base, &exponent};
  kKernel(LaneOp{}, in.data(), &out, 1);
  return out;
}

template <Opcode... opcodes>
void AddComplex(std::vector<RuntimeFunction>& out) {
  (out.push_back(
       {ComplexFunctionName(opcodes), reinterpret_cast<void*>(&ComplexFunction<opcodes>)}),
   ...);
}

}  // namespace

std::string ComplexFunctionName(Opcode opcode) {
  return "halo_complex_" + std::string(TextOf(opcode));
}

std::span<const RuntimeFunction> RuntimeFunctions() {
  static const std::vector<RuntimeFunction> kFunctions = [] {
    std::vector<RuntimeFunction> functions = {
        {kPowerSigned, reinterpret_cast<void*>(&PowerSigned)},
        {kPowerUnsigned, reinterpret_cast<void*>(&PowerUnsigned)}};
    AddComplex<Opcode::kAcos, Opcode::kAcosh, Opcode::kAsin, Opcode::kAsinh, Opcode::kAtan2,
               Opcode::kAtanh, Opcode::kCbrt, Opcode::kCos, Opcode::kCosh, Opcode::kDivide,
               Opcode::kExp, Opcode::kExpm1, Opcode::kLog, Opcode::kLog1p, Opcode::kLogistic,
               Opcode::kPower, Opcode::kRsqrt, Opcode::kSign, Opcode::kSin, Opcode::kSinh,
               Opcode::kSqrt, Opcode::kTan, Opcode::kTanh>(functions);
    return functions;
  }();
  return kFunctions;
}

}  // namespace halo
