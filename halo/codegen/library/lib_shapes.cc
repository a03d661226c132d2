// Layouts are dense, so strides follow from the dimension order alone.
#include "halo/codegen/library/lib_shapes.h"

#include <utility>

#include "halo/runtime/stored_array.h"

namespace halo {

Placed RowMajor(ElementType type, Dims dims) {
  Dims strides = RowMajorStrides(dims);
  return {type, std::move(dims), std::move(strides)};
}

std::optional<Placed> StoredFormOf(const ShapeTable& shapes, ShapeId shape) {
  if (!shapes.is_array(shape) || shapes.has_dynamic(shape) || !shapes.ElementCount(shape)) {
    return std::nullopt;
  }
  const std::span<const int64_t> dims = shapes.dims(shape);
  const Layout* layout = shapes.layout(shape);
  if (layout != nullptr && layout->minor_to_major.size() != dims.size()) return std::nullopt;
  return Placed{shapes.type(shape), Dims(dims.begin(), dims.end()), StoredStrides(shapes, shape)};
}

void PlacedArrays::Replace(size_t i, Placed array) {
  if (i < arrays_.size()) arrays_[i] = std::move(array);
}

const Placed& PlacedArrays::Missing() {
  static const Placed missing = {ElementType::kToken, {0}, {1}};
  return missing;
}

std::optional<PlacedArrays> PlacedOperands(const Module& module, const Inst& inst) {
  std::vector<Placed> arrays;
  for (const InstId operand : module.operands_of(inst)) {
    std::optional<Placed> placed = StoredFormOf(module.shapes, module.inst(operand).shape);
    if (!placed) return std::nullopt;
    arrays.push_back(*std::move(placed));
  }
  return PlacedArrays(std::move(arrays));
}

std::optional<PlacedArrays> PlacedResults(const Module& module, const Inst& inst) {
  std::vector<ShapeId> parts = {inst.shape};
  if (module.shapes.is_tuple(inst.shape)) {
    const std::span<const ShapeId> elements = module.shapes.elements(inst.shape);
    parts.assign(elements.begin(), elements.end());
  }
  std::vector<Placed> arrays;
  for (const ShapeId part : parts) {
    std::optional<Placed> placed = StoredFormOf(module.shapes, part);
    if (!placed) return std::nullopt;
    arrays.push_back(*std::move(placed));
  }
  return PlacedArrays(std::move(arrays));
}

}  // namespace halo
