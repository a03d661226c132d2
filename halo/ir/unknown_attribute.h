// An attribute that is kept verbatim under k_unknown, because its name or the form of its value is
// unknown: how the name and the text of the value are stored.
#ifndef HALO_IR_UNKNOWN_ATTRIBUTE_H_
#define HALO_IR_UNKNOWN_ATTRIBUTE_H_

#include <string_view>

#include "halo/ir/module.h"

namespace halo {

struct UnknownAttribute {
  std::string_view name;
  std::string_view text;  // of the value
};

Attr MakeUnknownAttribute(Module& module, StrId name, StrId text);

// `attr.key` must be k_unknown.
UnknownAttribute UnknownAttributeOf(const Module& module, const Attr& attr);

}  // namespace halo

#endif  // HALO_IR_UNKNOWN_ATTRIBUTE_H_
