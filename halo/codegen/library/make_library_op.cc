// Finds the family that supports an instruction.
#include "halo/codegen/library/make_library_op.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

using Maker = std::unique_ptr<LibraryOp> (*)(const Module& module, InstId inst);

struct Target {
  std::string_view name;
  Maker make;
};

constexpr Target kTargets[] = {
    {"__cublas$gemm", MakeGemmCallOp},
    {"__cublas$lt$matmul", MakeGemmCallOp},
    {"__cublas$lt$matmul$f8", MakeScaledGemmCallOp},
    {"__onednn$matmul", MakeOneDnnMatmulCallOp},
    {"__cudnn$convForward", MakeConvForwardCallOp},
    {"__cudnn$convBackwardInput", MakeConvBackwardInputCallOp},
    {"__cudnn$convBackwardFilter", MakeConvBackwardFilterCallOp},
    {"__cudnn$convBiasActivationForward", MakeConvBiasActivationCallOp},
    {"TopK", MakeTopKCallOp},
    {"__gpu$TopK", MakeTopKCallOp},
    {"cuda_threefry2x32", MakeThreefryCallOp},
    {"cu_threefry2x32", MakeThreefryCallOp},
    {"cu_threefry2x32_ffi", MakeThreefryCallOp},
    {"hip_threefry2x32", MakeThreefryCallOp},
    {"hip_threefry2x32_ffi", MakeThreefryCallOp},
    {"lapack_strsm_ffi", MakeTrsmCallOp},
    {"lapack_dtrsm_ffi", MakeTrsmCallOp},
    {"lapack_sgetrf_ffi", MakeGetrfCallOp},
    {"lapack_dgetrf_ffi", MakeGetrfCallOp},
    {"lapack_ssyevd_ffi", MakeSyevdCallOp},
    {"lapack_dsyevd_ffi", MakeSyevdCallOp},
    {"lapack_sgesdd_ffi", MakeGesddCallOp},
    {"lapack_spotrf_ffi", MakePotrfCallOp},
    {"lapack_dpotrf_ffi", MakePotrfCallOp},
    {"lapack_sgeqrf_ffi", MakeGeqrfCallOp},
    {"lapack_dgeqrf_ffi", MakeGeqrfCallOp},
    {"lapack_sorgqr_ffi", MakeOrgqrCallOp},
    {"lapack_dorgqr_ffi", MakeOrgqrCallOp},
};

// An installed LAPACK is tried first, except for matrices that our own loops decompose faster: they
// factor and solve in blocks that fit the registers, rotate whole rows of eigenvectors and find
// singular values of floats from a smaller matrix.
struct OwnFirst {
  std::string_view name;
  int64_t most;  // rows or columns, whichever are fewer
};
constexpr OwnFirst kOwnFirst[] = {
    {"lapack_ssyevd_ffi", 48},        {"lapack_dsyevd_ffi", 64},
    {"lapack_sgesdd_ffi", 64},        {"lapack_sgetrf_ffi", INT64_MAX},
    {"lapack_dgetrf_ffi", INT64_MAX}, {"lapack_spotrf_ffi", INT64_MAX},
    {"lapack_dpotrf_ffi", INT64_MAX}, {"lapack_strsm_ffi", INT64_MAX},
    {"lapack_dtrsm_ffi", INT64_MAX},  {"lapack_sgeqrf_ffi", INT64_MAX},
    {"lapack_dgeqrf_ffi", INT64_MAX}, {"lapack_sorgqr_ffi", INT64_MAX},
    {"lapack_dorgqr_ffi", INT64_MAX}};

bool IsOwnFaster(const Module& module, const Inst& inst) {
  const std::string_view name = module.TextOr(inst.attrs, AttrKey::k_custom_call_target);
  const auto* const found = std::ranges::find(kOwnFirst, name, &OwnFirst::name);
  if (found == std::end(kOwnFirst)) return false;
  const auto operands = PlacedOperands(module, inst);
  if (!operands || operands->empty()) return false;
  const Dims& dims = (*operands)[0].dims;
  return dims.size() >= 2 && std::min(dims[dims.size() - 1], dims[dims.size() - 2]) <= found->most;
}

// The first of two families that supports the instruction.
std::unique_ptr<LibraryOp> MakeEither(Maker first, Maker second, const Module& module,
                                      InstId inst) {
  if (auto op = first(module, inst)) return op;
  return second(module, inst);
}

std::unique_ptr<LibraryOp> MakeCustomCall(const Module& module, InstId inst) {
  return IsOwnFaster(module, module.inst(inst))
             ? MakeEither(MakeOwnCallOp, MakeLapackCallOp, module, inst)
             : MakeEither(MakeLapackCallOp, MakeOwnCallOp, module, inst);
}

}  // namespace

std::unique_ptr<LibraryOp> MakeOwnCallOp(const Module& module, InstId inst) {
  const std::string_view name =
      module.TextOr(module.inst(inst).attrs, AttrKey::k_custom_call_target);
  for (const Target& target : kTargets) {
    if (target.name == name) return target.make(module, inst);
  }
  return nullptr;
}

std::unique_ptr<LibraryOp> MakeLibraryOp(const Module& module, InstId inst) {
  switch (module.inst(inst).opcode) {
    case Opcode::kDot: return MakeDotOp(module, inst);
    case Opcode::kAllReduce: return MakeAloneOp(module, inst);
    case Opcode::kCopy:
    case Opcode::kSlice:
    case Opcode::kConcatenate: return MakeBlockCopyOp(module, inst);
    case Opcode::kConvolution: return MakeConvolutionOp(module, inst);
    case Opcode::kFft: return MakeFftOp(module, inst);
    case Opcode::kSort: return MakeSortOp(module, inst);
    case Opcode::kCholesky: return MakeEither(MakeCholeskyOp, MakeLapackCholeskyOp, module, inst);
    case Opcode::kTriangularSolve:
      return MakeEither(MakeTriangularSolveOp, MakeLapackTriangularSolveOp, module, inst);
    case Opcode::kTopK: return MakeTopKOp(module, inst);
    case Opcode::kRngBitGenerator: return MakeBitGeneratorOp(module, inst);
    case Opcode::kCustomCall: return MakeCustomCall(module, inst);
    default: return nullptr;
  }
}

Diagnostic LibraryRefusal(std::string_view instruction, std::string_view library) {
  Diagnostic out;
  out.code = diag::kCannotEvaluate;
  out.message = "instruction %" + std::string(instruction) + ": " + std::string(library) +
                " failed at run time";
  return out;
}

}  // namespace halo
