// Functions of ours that generated code calls by name, for operations that are not worth emitting
// as LLVM instructions. They have the semantics of halo/eval; most of them are its definitions.
#ifndef HALO_CODEGEN_IR_RUNTIME_FUNCTIONS_H_
#define HALO_CODEGEN_IR_RUNTIME_FUNCTIONS_H_

#include <span>
#include <string>

#include "halo/ir/opcode.h"

namespace halo {

struct RuntimeFunction {
  std::string name;
  void* address;
};

std::span<const RuntimeFunction> RuntimeFunctions();

// Takes the parts of one or two complex numbers as doubles and returns {double, double}.
std::string ComplexFunctionName(Opcode opcode);

// i64 (i64 base, i64 exponent), wrapping.
inline constexpr const char* kPowerSigned = "halo_power_s64";
inline constexpr const char* kPowerUnsigned = "halo_power_u64";

}  // namespace halo

#endif  // HALO_CODEGEN_IR_RUNTIME_FUNCTIONS_H_
