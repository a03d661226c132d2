// Entries are stored as triples in one integer list: key, value, and how the value is quoted.
#include "halo/ir/frontend_attributes.h"

#include <cstdint>
#include <span>

namespace halo {

std::optional<std::string_view> FrontendAttribute(const Module& module, AttrListId attrs,
                                                  std::string_view key) {
  const Attr* dict = module.Find(attrs, AttrKey::k_frontend_attributes);
  if (dict == nullptr) return std::nullopt;
  const std::span<const int64_t> entries = module.list(dict->value);
  for (size_t i = 0; i + 2 < entries.size(); i += 3) {
    if (module.text(StrId(static_cast<uint32_t>(entries[i]))) == key) {
      return module.text(StrId(static_cast<uint32_t>(entries[i + 1])));
    }
  }
  return std::nullopt;
}

}  // namespace halo
