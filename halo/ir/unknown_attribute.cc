// The attribute's list has two strings: the name and the text.
#include "halo/ir/unknown_attribute.h"

#include <cstdint>
#include <span>

namespace halo {

Attr MakeUnknownAttribute(Module& module, StrId name, StrId text) {
  const int64_t pair[2] = {name.value, text.value};
  return module.MakeInts(AttrKey::k_unknown, pair);
}

UnknownAttribute UnknownAttributeOf(const Module& module, const Attr& attr) {
  const std::span<const int64_t> pair = module.list(attr.value);
  const auto string = [&](size_t i) { return module.text(StrId(static_cast<uint32_t>(pair[i]))); };
  return {string(0), string(1)};
}

}  // namespace halo
