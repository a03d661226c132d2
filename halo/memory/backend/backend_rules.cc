// Applies the facts of a description to its rules, and computes sizes from the description's memory
// spaces.
#include "halo/memory/backend/backend_rules.h"

#include <algorithm>

#include "halo/base/round_up.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/memory_spaces.h"

namespace halo {

BackendRules RulesOf(Backend backend) { return DescriptionOf(backend).rules; }

int64_t AlignmentOf(const BackendRules& rules, int64_t color) {
  const int64_t own = DescriptionOf(rules.backend).space(color).alignment;
  return own != 0 ? own : rules.alignment;
}

BackendRules DetectRules(const Module& module, Backend backend) {
  BackendRules rules = RulesOf(backend);
  for (const GenerationFact& fact : DescriptionOf(backend).facts) {
    if (fact.from_module != nullptr) fact.from_module(module, rules);
  }
  return rules;
}

void RefineRules(const Assignment& assignment, BackendRules& rules) {
  for (const GenerationFact& fact : DescriptionOf(rules.backend).facts) {
    if (fact.from_assignment != nullptr) fact.from_assignment(assignment, rules);
  }
}

int64_t BufferBytes(const Module& module, ShapeId shape, const BackendRules& rules) {
  const ShapeTable& shapes = module.shapes;
  if (shapes.is_tuple(shape)) {
    const auto entries = static_cast<int64_t>(shapes.elements(shape).size());
    return RoundUp(entries * rules.pointer_bytes, rules.table_rounding);
  }
  if (!shapes.is_array(shape)) {
    const bool is_pointer =
        shapes.type(shape) == ElementType::kOpaque && !shapes.has_unknown(shape);
    return is_pointer ? rules.pointer_bytes : 0;
  }
  const Layout* layout = shapes.layout(shape);
  int64_t bytes = shapes.ByteSize(shape).value_or(0);
  const int bits = InfoOf(shapes.type(shape)).bits;
  // Without a specified width, small elements take one byte each.
  if (bits < 8 && (layout == nullptr || layout->element_bits == 0)) {
    bytes = shapes.ElementCount(shape).value_or(0);
  }
  if (layout == nullptr || layout->tiles.empty()) {
    const BackendDescription& description = DescriptionOf(rules.backend);
    const int64_t space = layout == nullptr ? kMainSpace : layout->memory_space;
    const UntiledPadding padding = description.space(space).padding;
    if (padding == UntiledPadding::kArraysAndScalars ||
        (padding == UntiledPadding::kArrays && !shapes.dims(shape).empty())) {
      bytes = RoundUp(shapes.ElementCount(shape).value_or(0), description.untiled_tile) *
              std::max(bits / 8, 1);
    }
  }
  if (shapes.has_dynamic(shape)) {
    bytes += rules.dimension_bytes * static_cast<int64_t>(shapes.dims(shape).size());
  }
  return bytes;
}

}  // namespace halo
