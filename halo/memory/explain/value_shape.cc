// Layouts do not matter here, so a printed shape is read up to its dimensions only.
#include "halo/memory/explain/value_shape.h"

#include <algorithm>

namespace halo {
namespace {

// The dimensions must have been read completely.
int64_t BytesOf(ElementType type, const std::vector<int64_t>& dims) {
  int64_t bits = InfoOf(type).bits;
  for (const int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(bits, dim, &bits)) return 0;
  }
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

bool IsFloatText(std::string_view dtype) {
  return dtype.starts_with('f') || dtype.starts_with("bf");
}

// Reads "8,<=16]"; false for anything else.
bool ReadDims(std::string_view text, std::vector<int64_t>& dims) {
  int64_t dim = -1;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      dim = std::max<int64_t>(dim, 0);
      if (__builtin_mul_overflow(dim, 10, &dim) || __builtin_add_overflow(dim, c - '0', &dim)) {
        return false;
      }
    } else if (c == ',' || c == ']') {
      if (dim >= 0) dims.push_back(dim);
      dim = -1;
      if (c == ']') return true;
    } else if (c != '<' && c != '=') {
      return false;
    }
  }
  return true;
}

constexpr std::string_view kTupleTable = "tuple table";

}  // namespace

ValueShape ShapeFromPrinted(std::string_view text) {
  ValueShape shape;
  shape.is_tuple = text.starts_with('(');
  if (shape.is_tuple) {
    shape.dtype = kTupleTable;
    return shape;
  }
  shape.dtype = text.substr(0, text.find_first_of("[{"));
  shape.is_float = IsFloatText(shape.dtype);
  const size_t open = text.find('[');
  if (open == std::string_view::npos) return shape;
  const auto type = ElementTypeFromText(text.substr(0, open));
  if (!ReadDims(text.substr(open + 1), shape.dims) || !type || !IsArrayType(*type)) return shape;
  shape.logical_bytes = BytesOf(*type, shape.dims);
  return shape;
}

bool IsTupleValue(const BoundAssignment& bound, ValueId id) {
  const ShapeId shape = bound.value(id).shape;
  if (shape.valid()) return bound.module()->shapes.is_tuple(shape);
  const Assignment& assignment = bound.assignment();
  return assignment.text(assignment.value(id).shape).starts_with('(');
}

ValueShape ShapeOfValue(const BoundAssignment& bound, ValueId id) {
  const ShapeId known = bound.value(id).shape;
  if (!known.valid()) {
    return ShapeFromPrinted(bound.assignment().text(bound.assignment().value(id).shape));
  }
  const ShapeTable& shapes = bound.module()->shapes;
  ValueShape shape;
  shape.is_tuple = shapes.is_tuple(known);
  if (shape.is_tuple) {
    shape.dtype = kTupleTable;
    return shape;
  }
  shape.dtype = TextOf(shapes.type(known));
  shape.is_float = IsFloatText(shape.dtype);
  if (!shapes.is_array(known)) return shape;
  const std::span<const int64_t> dims = shapes.dims(known);
  shape.dims.assign(dims.begin(), dims.end());
  shape.logical_bytes = BytesOf(shapes.type(known), shape.dims);
  return shape;
}

}  // namespace halo
