// Entries of frontend_attributes={...}, on an instruction or in the header of a module.
#ifndef HALO_IR_FRONTEND_ATTRIBUTES_H_
#define HALO_IR_FRONTEND_ATTRIBUTES_H_

#include <optional>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

// The entry's value; nullopt if the list has no such entry.
std::optional<std::string_view> FrontendAttribute(const Module& module, AttrListId attrs,
                                                  std::string_view key);

}  // namespace halo

#endif  // HALO_IR_FRONTEND_ATTRIBUTES_H_
