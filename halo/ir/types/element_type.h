// Element types: their names, widths and classes. numeric.h defines how their bits encode numbers.
#ifndef HALO_IR_TYPES_ELEMENT_TYPE_H_
#define HALO_IR_TYPES_ELEMENT_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace halo {

enum class ElementType : uint8_t {
#define HALO_ELEMENT_TYPE(name, text, bits, klass, proto) k##name,
#include "halo/ir/types/element_types.def"
};

enum class ElementClass : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex, kOther };

struct ElementTypeInfo {
  std::string_view text;
  int bits;
  ElementClass klass;
  int proto_number;
};

const ElementTypeInfo& InfoOf(ElementType type);
size_t ElementTypeCount();
std::optional<ElementType> ElementTypeFromText(std::string_view text);
std::optional<ElementType> ElementTypeFromProto(int64_t number);

inline std::string_view TextOf(ElementType type) { return InfoOf(type).text; }
inline bool IsArrayType(ElementType type) { return InfoOf(type).klass != ElementClass::kOther; }
inline bool IsIntegerType(ElementType type) {
  return InfoOf(type).klass == ElementClass::kSigned ||
         InfoOf(type).klass == ElementClass::kUnsigned;
}

// The type= of a compare whose operands have this element type, if none is written.
std::string_view ImpliedComparisonType(ElementType type);

// Size of one element in a Literal, in bytes. Each sub-byte element takes a whole byte.
inline size_t StoredBytes(ElementType type) {
  return static_cast<size_t>(InfoOf(type).bits + 7) / 8;
}

}  // namespace halo

#endif  // HALO_IR_TYPES_ELEMENT_TYPE_H_
