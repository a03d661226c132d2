// The table of attribute keys and the lookup by text.
#include "halo/ir/attributes/attr.h"

#include <array>

#include "halo/ir/attributes/name_table.h"

namespace halo {
namespace {

constexpr std::string_view KeyText(std::string_view name) {
  return name == "control_predecessors" ? "control-predecessors" : name;
}

constexpr std::array kKeys = {
#define HALO_ATTR(name, kind, scope) \
  AttrKeyInfo{KeyText(#name), AttrKind::k##kind, AttrScope::k##scope},
#include "halo/ir/attributes/attrs.def"
};

constexpr NameTable kTable([](size_t i) { return kKeys[i].text; }, kKeys.size());

}  // namespace

const AttrKeyInfo& InfoOf(AttrKey key) { return kKeys[static_cast<size_t>(key)]; }
size_t AttrKeyCount() { return kKeys.size(); }

std::optional<AttrKey> AttrKeyFromText(std::string_view text) {
  const int found = kTable.Find(text);
  if (found < 0 || found == static_cast<int>(AttrKey::k_unknown)) return std::nullopt;
  return static_cast<AttrKey>(found);
}

}  // namespace halo
