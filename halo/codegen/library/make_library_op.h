// Decides which instructions a library computes and prepares the op for each.
#ifndef HALO_CODEGEN_LIBRARY_MAKE_LIBRARY_OP_H_
#define HALO_CODEGEN_LIBRARY_MAKE_LIBRARY_OP_H_

#include <memory>

#include "halo/ir/module.h"
#include "halo/runtime/library_op.h"

namespace halo {

// Null if no library here supports the instruction; it is then compiled or evaluated.
std::unique_ptr<LibraryOp> MakeLibraryOp(const Module& module, InstId inst);

// The same for a custom call if no LAPACK were installed.
std::unique_ptr<LibraryOp> MakeOwnCallOp(const Module& module, InstId inst);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_MAKE_LIBRARY_OP_H_
