// Compares and prints inferred shapes.
#include "halo/semantics/rules/shape_value.h"

#include "halo/base/strings/text_buffer.h"

namespace halo {
namespace {

void Print(const ShapeTable& shapes, const ShapeValue& value, TextBuffer& out) {
  if (value.same_as.valid()) {
    shapes.Print(value.same_as, false, out);
    return;
  }
  if (value.type == ElementType::kTuple) {
    out << '(';
    for (size_t i = 0; i < value.elements.size(); ++i) {
      if (i != 0) out << ", ";
      Print(shapes, value.elements[i], out);
    }
    out << ')';
    return;
  }
  out << TextOf(value.type) << '[';
  for (size_t i = 0; i < value.dims.size(); ++i) {
    if (i != 0) out << ',';
    const bool unbounded = value.dims[i] == kUnboundedDimension;
    if (unbounded || (i < value.dynamic.size() && value.dynamic[i] != 0)) {
      out << (unbounded ? "?" : "<=");
    }
    if (!unbounded) out << value.dims[i];
  }
  out << ']';
}

}  // namespace

std::string TextOf(const ShapeTable& shapes, const ShapeValue& value) {
  TextBuffer out;
  Print(shapes, value, out);
  return out.str();
}

bool IsFloat(ElementType type) { return InfoOf(type).klass == ElementClass::kFloat; }

bool IsComplex(ElementType type) { return InfoOf(type).klass == ElementClass::kComplex; }

bool IsScalar(const ShapeTable& shapes, ShapeId shape) {
  return shapes.is_array(shape) && shapes.dims(shape).empty();
}

ElementType ComponentType(ElementType complex) {
  return complex == ElementType::kC128 ? ElementType::kF64 : ElementType::kF32;
}

bool SameType(ElementType a, ElementType b, Precision precision) {
  if (a == b || precision == Precision::kAnyType) return true;
  return precision == Precision::kAnyFloat && IsFloat(a) && IsFloat(b);
}

bool SameSize(int64_t a, int64_t b) {
  return a == b || a == kUnboundedDimension || b == kUnboundedDimension;
}

bool SameDims(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!SameSize(a[i], b[i])) return false;
  }
  return true;
}

bool SameShape(const ShapeTable& shapes, ShapeId a, ShapeId b, Precision precision) {
  if (a == b) return true;
  if (shapes.is_tuple(a) || shapes.is_tuple(b)) {
    if (!shapes.is_tuple(a) || !shapes.is_tuple(b)) return false;
    const auto left = shapes.elements(a);
    const auto right = shapes.elements(b);
    if (left.size() != right.size()) return false;
    for (size_t i = 0; i < left.size(); ++i) {
      if (!SameShape(shapes, left[i], right[i], precision)) return false;
    }
    return true;
  }
  if (shapes.is_buffer(a) || shapes.is_buffer(b)) {
    return shapes.is_buffer(a) && shapes.is_buffer(b) &&
           SameShape(shapes, shapes.buffer_inner(a), shapes.buffer_inner(b), precision);
  }
  if (!shapes.is_array(a)) return shapes.type(a) == shapes.type(b);
  return shapes.is_array(b) && SameType(shapes.type(a), shapes.type(b), precision) &&
         SameDims(shapes.dims(a), shapes.dims(b));
}

bool SameShape(const ShapeTable& shapes, ShapeId a, const ShapeValue& b, Precision precision) {
  if (b.same_as.valid()) return SameShape(shapes, a, b.same_as, precision);
  if (b.type == ElementType::kTuple) {
    if (!shapes.is_tuple(a)) return false;
    const auto left = shapes.elements(a);
    if (left.size() != b.elements.size()) return false;
    for (size_t i = 0; i < left.size(); ++i) {
      if (!SameShape(shapes, left[i], b.elements[i], precision)) return false;
    }
    return true;
  }
  if (!IsArrayType(b.type)) return shapes.type(a) == b.type;
  return shapes.is_array(a) && SameType(shapes.type(a), b.type, precision) &&
         SameDims(shapes.dims(a), b.dims);
}

}  // namespace halo
