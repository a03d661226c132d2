// Finds an instruction of a module by names.
#ifndef HALO_LSP_DOCUMENT_FIND_INSTRUCTION_H_
#define HALO_LSP_DOCUMENT_FIND_INSTRUCTION_H_

#include <string_view>

#include "halo/ir/module.h"

namespace halo::lsp {

// Invalid if there is none. Looks first at what follows `after`, an instruction of the module or
// none, so that finding one after the other takes linear time.
InstId FindInstruction(const Module& module, std::string_view computation,
                       std::string_view instruction, InstId after = {});

}  // namespace halo::lsp

#endif  // HALO_LSP_DOCUMENT_FIND_INSTRUCTION_H_
