// Writes attribute values as text, one function per kind, driven by attrs.def.
#ifndef HALO_TEXT_WRITE_WRITE_ATTRIBUTE_H_
#define HALO_TEXT_WRITE_WRITE_ATTRIBUTE_H_

#include "halo/ir/module.h"

namespace halo {

// `inst` is the instruction that has the attribute; null for the module header.
void WriteAttribute(const Module& module, const Style& style, const Attr& attr, const Inst* inst,
                    TextBuffer& out);

}  // namespace halo

#endif  // HALO_TEXT_WRITE_WRITE_ATTRIBUTE_H_
