// Writes constant values on one line, as XLA prints them.
#ifndef HALO_TEXT_WRITE_WRITE_LITERAL_H_
#define HALO_TEXT_WRITE_WRITE_LITERAL_H_

#include "halo/ir/module.h"

namespace halo {

void WriteLiteral(const Module& module, LiteralId literal, TextBuffer& out);

}  // namespace halo

#endif  // HALO_TEXT_WRITE_WRITE_LITERAL_H_
