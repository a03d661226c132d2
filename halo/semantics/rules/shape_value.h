// A shape that a rule inferred. A module's own shapes are interned, and none can be added during
// verification, so an inferred shape is a value that may refer to them.
#ifndef HALO_SEMANTICS_RULES_SHAPE_VALUE_H_
#define HALO_SEMANTICS_RULES_SHAPE_VALUE_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halo/ir/types/shape.h"

namespace halo {

struct ShapeValue {
  ShapeId same_as;  // if valid: exactly this shape of the module; ignore the rest
  ElementType type = ElementType::kF32;
  std::vector<int64_t> dims;
  std::vector<uint8_t> dynamic;      // one for each dimension; empty if all are static
  std::vector<ShapeValue> elements;  // of a tuple

  static ShapeValue Same(ShapeId id) {
    ShapeValue value;
    value.same_as = id;
    return value;
  }
  static ShapeValue Array(ElementType type, std::span<const int64_t> dims) {
    ShapeValue value;
    value.type = type;
    value.dims.assign(dims.begin(), dims.end());
    return value;
  }
  static ShapeValue Scalar(ElementType type) { return Array(type, {}); }
  static ShapeValue Token() { return Array(ElementType::kToken, {}); }
  static ShapeValue Tuple(std::vector<ShapeValue> elements) {
    ShapeValue value;
    value.type = ElementType::kTuple;
    value.elements = std::move(elements);
    return value;
  }
};

std::string TextOf(const ShapeTable& shapes, const ShapeValue& value);

// What may differ between two shapes that are considered equal. Layouts always may, and so may
// which dimensions are dynamic.
enum class Precision : uint8_t { kExact, kAnyFloat, kAnyType };

bool SameType(ElementType a, ElementType b, Precision precision);
bool SameShape(const ShapeTable& shapes, ShapeId a, ShapeId b,
               Precision precision = Precision::kExact);
bool SameShape(const ShapeTable& shapes, ShapeId a, const ShapeValue& b,
               Precision precision = Precision::kExact);
// Returns true if the sizes are equal or either is unbounded.
bool SameSize(int64_t a, int64_t b);
bool SameDims(std::span<const int64_t> a, std::span<const int64_t> b);

bool IsFloat(ElementType type);
bool IsComplex(ElementType type);
bool IsScalar(const ShapeTable& shapes, ShapeId shape);
// Returns f32 for c64, f64 for c128.
ElementType ComponentType(ElementType complex);

}  // namespace halo

#endif  // HALO_SEMANTICS_RULES_SHAPE_VALUE_H_
