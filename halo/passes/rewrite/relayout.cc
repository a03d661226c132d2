// Copies arrays; splits tuples and rebuilds them.
#include "halo/passes/rewrite/relayout.h"

#include <algorithm>

namespace halo {

bool SameButLayout(const ShapeTable& shapes, ShapeId a, ShapeId b) {
  if (a == b) return true;
  if (shapes.type(a) != shapes.type(b)) return false;
  if (shapes.is_array(a)) return std::ranges::equal(shapes.dims(a), shapes.dims(b));
  if (!shapes.is_tuple(a) || shapes.elements(a).size() != shapes.elements(b).size()) return false;
  for (size_t i = 0; i < shapes.elements(a).size(); ++i) {
    if (!SameButLayout(shapes, shapes.elements(a)[i], shapes.elements(b)[i])) return false;
  }
  return true;
}

InstId Relayout(ModuleEditor& edit, InstId value, ShapeId shape) {
  value = edit.Current(value);
  const ShapeTable& shapes = edit.module().shapes;
  const ShapeId own = edit.inst(value).shape;
  const CompId comp = edit.inst(value).parent;
  if (own == shape) return value;
  if (!SameButLayout(shapes, own, shape)) return {};
  if (shapes.is_array(own)) return edit.Add(comp, Opcode::kCopy, shape, {value}, {}, value);
  std::vector<InstId> elements;
  for (size_t i = 0; i < shapes.elements(shape).size(); ++i) {
    const ShapeId wanted = shapes.elements(shape)[i];
    const InstId element = edit.AddElement(comp, value, static_cast<int64_t>(i), value);
    elements.push_back(Relayout(edit, element, wanted));
  }
  return edit.AddTuple(comp, elements, value);
}

}  // namespace halo
