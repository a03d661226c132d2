// The families of library ops. Each function makes an op for an instruction it supports and returns
// null otherwise.
#ifndef HALO_CODEGEN_LIBRARY_LIB_OPS_H_
#define HALO_CODEGEN_LIBRARY_LIB_OPS_H_

#include <memory>
#include <string>
#include <string_view>

#include "halo/codegen/library/make_library_op.h"

namespace halo {

std::unique_ptr<LibraryOp> MakeDotOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeAloneOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeBlockCopyOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeConvolutionOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeFftOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeSortOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeCholeskyOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeTriangularSolveOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeLapackCholeskyOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeLapackTriangularSolveOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeTopKOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeBitGeneratorOp(const Module& module, InstId inst);
// Custom calls.
std::unique_ptr<LibraryOp> MakeTopKCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeConvForwardCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeConvBackwardInputCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeConvBackwardFilterCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeConvBiasActivationCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeThreefryCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeGemmCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeScaledGemmCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeOneDnnMatmulCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeTrsmCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeGetrfCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeSyevdCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeGesddCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakePotrfCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeGeqrfCallOp(const Module& module, InstId inst);
std::unique_ptr<LibraryOp> MakeOrgqrCallOp(const Module& module, InstId inst);
// Any LAPACK routine, by the installed library.
std::unique_ptr<LibraryOp> MakeLapackCallOp(const Module& module, InstId inst);

// The diagnostic for an instruction whose library call failed at run time.
Diagnostic LibraryRefusal(std::string_view instruction, std::string_view library);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_OPS_H_
