// Bits are copied unchanged, except for element types narrower than a byte.
#include "halo/api/inputs/array_file.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace halo {
namespace {

// The numpy or ml_dtypes name of a type that numpy lacks.
std::string NameOf(ElementType type) {
  const ElementTypeInfo& info = InfoOf(type);
  switch (info.klass) {
    case ElementClass::kSigned: return "int" + std::to_string(info.bits);
    case ElementClass::kUnsigned: return "uint" + std::to_string(info.bits);
    default: break;
  }
  if (type == ElementType::kBF16) return "bfloat16";
  // f8e4m3fn is float8_e4m3fn.
  const std::string text(info.text);
  return "float" + text.substr(1, 1) + "_" + text.substr(2);
}

bool IsForeign(ElementType type) {
  const ElementTypeInfo& info = InfoOf(type);
  return info.bits < 8 || type == ElementType::kBF16 ||
         (info.klass == ElementClass::kFloat && info.bits == 8);
}

}  // namespace

NpyType StoredTypeOf(ElementType type) {
  const ElementTypeInfo& info = InfoOf(type);
  const size_t bytes = StoredBytes(type);
  switch (info.klass) {
    case ElementClass::kPred: return {'b', 1, {}};
    case ElementClass::kSigned: return {'i', bytes, {}};
    case ElementClass::kUnsigned: return {'u', bytes, {}};
    case ElementClass::kComplex: return {'c', bytes, {}};
    default: return {IsForeign(type) ? 'u' : 'f', bytes, {}};
  }
}

bool IsStoredAs(const NpyType& stored, ElementType type) {
  if (stored.bytes != StoredBytes(type)) return false;
  if (!stored.name.empty()) return stored.name == NameOf(type);
  if (stored.kind == StoredTypeOf(type).kind) return true;
  if (!IsForeign(type)) return false;
  return stored.kind == 'V' ||
         (InfoOf(type).bits < 8 && (stored.kind == 'i' || stored.kind == 'u'));
}

Array ArrayFrom(const NpyArray& stored, ElementType type) {
  Array array(type, stored.dims);
  uint8_t* to = array.MutableBytes();
  const size_t size = std::min(array.byte_count(), stored.bytes.size());
  if (size != 0) std::memcpy(to, stored.bytes.data(), size);
  const int bits = InfoOf(type).bits;
  const ElementClass klass = InfoOf(type).klass;
  if (klass == ElementClass::kPred) {
    for (size_t i = 0; i < size; ++i) to[i] = to[i] != 0 ? 1 : 0;
  } else if (bits < 8) {
    const auto mask = static_cast<uint8_t>((1 << bits) - 1);
    const auto sign = static_cast<uint8_t>(klass == ElementClass::kSigned ? 1 << (bits - 1) : 0);
    for (size_t i = 0; i < size; ++i) {
      const auto low = static_cast<uint8_t>(to[i] & mask);
      to[i] = (low & sign) != 0 ? static_cast<uint8_t>(low | ~mask) : low;
    }
  }
  return array;
}

}  // namespace halo
