// Validates everything first, so that the definitions can be plain loops.
#include "halo/eval/calls/call_support.h"

#include <algorithm>

#include "halo/eval/calls/mlir_attributes.h"
#include "halo/eval/context/converted.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

bool DimsMatch(const OpContext& cx, ShapeId declared, std::span<const int64_t> dims) {
  const std::span<const int64_t> want = cx.module.shapes.dims(declared);
  if (want.size() != dims.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != want[i] && !cx.module.shapes.is_dynamic(declared, i)) return false;
  }
  return true;
}

// Zeros for a result that the call's definition does not specify.
Value ZeroPart(const OpContext& cx, ShapeId shape, int depth) {
  if (cx.module.shapes.is_array(shape)) {
    return cx.Make(cx.module.shapes.type(shape), cx.module.shapes.dims(shape));
  }
  if (cx.module.shapes.is_buffer(shape)) {
    return ZeroPart(cx, cx.module.shapes.buffer_inner(shape), depth);
  }
  if (!cx.module.shapes.is_tuple(shape)) return Value::Token();
  std::vector<Value> elements;
  if (depth < 8) {
    for (const ShapeId element : cx.module.shapes.elements(shape)) {
      elements.push_back(ZeroPart(cx, element, depth + 1));
    }
  }
  return Value::Tuple(std::move(elements));
}

bool HasShapeAt(const OpContext& cx, const Value& value, ShapeId shape, int depth) {
  const ShapeTable& shapes = cx.module.shapes;
  if (shapes.is_buffer(shape)) return HasShapeAt(cx, value, shapes.buffer_inner(shape), depth);
  if (shapes.is_tuple(shape)) {
    const std::span<const ShapeId> parts = shapes.elements(shape);
    if (!value.is_tuple() || value.elements().size() != parts.size() || depth > 8) return false;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!HasShapeAt(cx, value.elements()[i], parts[i], depth + 1)) return false;
    }
    return true;
  }
  if (!shapes.is_array(shape)) return !value.is_array() && !value.is_tuple();
  return value.is_array() && value.array().type() == shapes.type(shape) &&
         DimsMatch(cx, shape, value.array().dims());
}

// Returns false unless the numbers are distinct dimensions of the array.
bool AreDims(std::span<const int64_t> dims, size_t rank, std::vector<bool>& seen) {
  seen.resize(rank);
  for (const int64_t d : dims) {
    if (d < 0 || d >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(d)]) return false;
    seen[static_cast<size_t>(d)] = true;
  }
  return true;
}

bool SameSizes(std::span<const int64_t> lhs, std::span<const int64_t> lhs_dims,
               std::span<const int64_t> rhs, std::span<const int64_t> rhs_dims) {
  return std::ranges::equal(
      lhs_dims, rhs_dims, {}, [&](int64_t d) { return lhs[static_cast<size_t>(d)]; },
      [&](int64_t d) { return rhs[static_cast<size_t>(d)]; });
}

}  // namespace

std::optional<JsonValue> ParseCallConfig(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    JsonValue empty;
    empty.kind = JsonValue::Kind::kObject;
    return empty;
  }
  if (auto json = ParseJson(text); json && json->is_object()) return *std::move(json);
  if (auto attributes = ParseMlirAttributes(text)) return *std::move(attributes);
  return std::nullopt;
}

Result<JsonValue> ReadCallConfig(const OpContext& cx) {
  const std::string_view text = cx.text(AttrKey::k_backend_config);
  if (auto config = ParseCallConfig(text)) return *std::move(config);
  // XLA's own Eigh lists its options without names.
  if (auto list = ParseJson("[" + std::string(text) + "]")) return *std::move(list);
  return BadConfig(cx);
}

Diagnostic BadConfig(const OpContext& cx) {
  return BadCall(cx, "its backend_config is neither JSON nor a dictionary of attributes");
}

std::optional<Diagnostic> NeedArrays(const OpContext& cx, size_t count) {
  if (cx.operands.size() < count) {
    return BadCall(cx, "takes at least " + std::to_string(count) + " operands, not " +
                           std::to_string(cx.operands.size()));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!cx.operand(i).is_array()) {
      return BadCall(cx, "operand " + std::to_string(i) + " is no array");
    }
  }
  return std::nullopt;
}

bool HasShape(const OpContext& cx, const Value& value, ShapeId shape) {
  return HasShapeAt(cx, value, shape, 0);
}

Result<Value> FinishCall(const OpContext& cx, std::vector<Array> parts) {
  if (cx.parts() < parts.size()) {
    return BadCall(cx, "yields " + std::to_string(parts.size()) + " arrays, but " +
                           std::to_string(cx.parts()) + " are declared");
  }
  std::vector<Value> values;
  for (size_t i = 0; i < cx.parts(); ++i) {
    const ShapeId shape = cx.shape(i);
    if (i >= parts.size()) {
      values.push_back(ZeroPart(cx, shape, 0));
      continue;
    }
    if (!cx.module.shapes.is_array(shape) || !DimsMatch(cx, shape, parts[i].dims())) {
      return BadCall(cx, "result " + std::to_string(i) + " is declared " +
                             cx.module.shapes.Text(shape) + ", which its operands do not give");
    }
    values.emplace_back(Converted(cx, parts[i], cx.module.shapes.type(shape)));
  }
  if (!cx.module.shapes.is_tuple(cx.shape())) return std::move(values[0]);
  return Value::Tuple(std::move(values));
}

Result<std::vector<double>> LoadDoubles(const OpContext& cx, const Array& array) {
  if (auto full = cx.CheckBudget(array.count() * 8)) return *std::move(full);
  std::vector<double> out(static_cast<size_t>(array.count()));
  if (LaneKindOf(array.type()) == LaneKind::kFloat) {
    LoadLanes(array.type(), array.bytes(), 1, out.size(), out.data());
    return out;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = LoadComplex(array.type(), array.bytes() + i * array.element_bytes()).real();
  }
  return out;
}

Result<std::vector<Complex>> LoadComplexes(const OpContext& cx, const Array& array) {
  if (auto full = cx.CheckBudget(array.count() * 16)) return *std::move(full);
  std::vector<Complex> out(static_cast<size_t>(array.count()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = LoadComplex(array.type(), array.bytes() + i * array.element_bytes());
  }
  return out;
}

Array StoreDoubles(const OpContext& cx, ElementType type, std::span<const int64_t> dims,
                   std::span<const double> values) {
  Array out = cx.Make(ElementType::kF64, dims);
  std::ranges::copy(values, out.Mutable<double>().begin());
  return Converted(cx, out, type);
}

Array StoreComplexes(const OpContext& cx, ElementType type, std::span<const int64_t> dims,
                     std::span<const Complex> values) {
  if (LaneKindOf(type) != LaneKind::kComplex) {
    std::vector<double> reals(values.size());
    std::ranges::transform(values, reals.begin(), [](Complex value) { return value.real(); });
    return StoreDoubles(cx, type, dims, reals);
  }
  Array out = cx.Make(ElementType::kC128, dims);
  std::ranges::copy(values, out.Mutable<Complex>().begin());
  return Converted(cx, out, type);
}

int64_t ProductOrMax(std::initializer_list<int64_t> sizes) {
  return ElementsIn({sizes.begin(), sizes.size()});
}

std::optional<DotDims> ParseDotDims(const JsonValue& config, std::span<const int64_t> lhs,
                                    std::span<const int64_t> rhs) {
  DotDims dims;
  dims.lhs_contracting = config["lhs_contracting_dimensions"].AsInts();
  dims.rhs_contracting = config["rhs_contracting_dimensions"].AsInts();
  dims.lhs_batch = config["lhs_batch_dimensions"].AsInts();
  dims.rhs_batch = config["rhs_batch_dimensions"].AsInts();
  std::vector<bool> lhs_seen;
  std::vector<bool> rhs_seen;
  const bool valid = AreDims(dims.lhs_contracting, lhs.size(), lhs_seen) &&
                     AreDims(dims.lhs_batch, lhs.size(), lhs_seen) &&
                     AreDims(dims.rhs_contracting, rhs.size(), rhs_seen) &&
                     AreDims(dims.rhs_batch, rhs.size(), rhs_seen) &&
                     SameSizes(lhs, dims.lhs_contracting, rhs, dims.rhs_contracting) &&
                     (dims.lhs_batch.empty() || dims.rhs_batch.empty() ||
                      SameSizes(lhs, dims.lhs_batch, rhs, dims.rhs_batch));
  if (!valid) return std::nullopt;
  return dims;
}

}  // namespace halo
