// Which family knows an instruction.
#include "halo/codegen/library_op.h"

#include "halo/codegen/lib_ops.h"

namespace halo {

std::unique_ptr<LibraryOp> MakeLibraryOp(const Module& module, InstId inst) {
  switch (module.inst(inst).opcode) {
    case Opcode::kDot: return MakeDotOp(module, inst);
    default: return nullptr;
  }
}

Diagnostic LibraryRefusal(std::string_view instruction, std::string_view library) {
  Diagnostic out;
  out.code = DiagCode::kCannotEvaluate;
  out.message = "instruction %" + std::string(instruction) + ": " + std::string(library) +
                " failed at run time";
  return out;
}

}  // namespace halo
