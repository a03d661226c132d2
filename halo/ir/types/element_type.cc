// The table of element types, and lookups by text and by proto number.
#include "halo/ir/types/element_type.h"

#include <array>

namespace halo {
namespace {

constexpr std::array kTypes = {
#define HALO_ELEMENT_TYPE(name, text, bits, klass, proto) \
  ElementTypeInfo{text, bits, ElementClass::k##klass, proto},
#include "halo/ir/types/element_types.def"
};

}  // namespace

const ElementTypeInfo& InfoOf(ElementType type) { return kTypes[static_cast<size_t>(type)]; }
size_t ElementTypeCount() { return kTypes.size(); }

std::optional<ElementType> ElementTypeFromText(std::string_view text) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].text == text) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

std::optional<ElementType> ElementTypeFromProto(int64_t number) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].proto_number == number) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

std::string_view ImpliedComparisonType(ElementType type) {
  switch (InfoOf(type).klass) {
    case ElementClass::kSigned: return "SIGNED";
    case ElementClass::kPred:
    case ElementClass::kUnsigned: return "UNSIGNED";
    case ElementClass::kFloat:
    case ElementClass::kComplex:
    case ElementClass::kOther: break;
  }
  return "FLOAT";
}

}  // namespace halo
