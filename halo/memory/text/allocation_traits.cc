// The traits in the order in which XLA prints them.
#include "halo/memory/text/allocation_traits.h"

#include <algorithm>
#include <vector>

namespace halo {
namespace {

std::string_view TakeEntryParameter(Fields& fields, Assignment& texts, Allocation& allocation) {
  if (!fields.TakeCount(allocation.parameter)) return "expected the parameter's number";
  if (fields.Take(", shape |")) {
    std::string_view shape;
    if (!fields.TakeUntil("|", shape)) return "expected | after the shape";
    allocation.parameter_shape = texts.Text(shape);
  }
  std::vector<int64_t> steps;
  if (!fields.Take(" at ShapeIndex ") || !fields.TakeIndex(steps))
    return "expected the shape index, as in: at ShapeIndex {0}";
  allocation.parameter_index = texts.Index(steps);
  return {};
}

}  // namespace

std::string_view TakeAllocationTraits(Fields& fields, Assignment& texts, Allocation& allocation) {
  if (fields.Take(", color ") && (!fields.TakeCount(allocation.color) || allocation.color == 0))
    return "a color is a number; 0 is not printed";
  if (fields.Take(", page ") && !fields.TakeCount(allocation.page))
    return "expected the page's number";
  if (fields.Take(", parameter ")) {
    const std::string_view wrong = TakeEntryParameter(fields, texts, allocation);
    if (!wrong.empty()) return wrong;
  }
  if (fields.Take(", output shape is |")) {
    std::string_view shape;
    if (!fields.TakeUntil("|", shape)) return "expected | after the shape";
    allocation.output_shape = texts.Text(shape);
  }
  allocation.is_constant = fields.Take(", constant");
  allocation.is_thread_local = fields.Take(", thread-local");
  allocation.maybe_live_out = fields.Take(", maybe-live-out");
  allocation.is_preallocated_temp = fields.Take(", preallocated-temp");
  if (!fields.Take(":") || !fields.at_end())
    return "expected a known trait of an allocation, or : at the end of the line";
  return {};
}

void WriteAllocationTraits(const Assignment& texts, const Allocation& allocation,
                           const AssignmentStyle& style, TextBuffer& out) {
  if (allocation.color != 0) out << ", color " << allocation.color;
  // An assignment that was not read from text has one page.
  if (style.pages) out << ", page " << std::max(allocation.page, 0);
  if (allocation.parameter >= 0) {
    out << ", parameter " << allocation.parameter;
    if (style.entry_shapes) out << ", shape |" << texts.text(allocation.parameter_shape) << '|';
    out << " at ShapeIndex " << IndexText(texts.index(allocation.parameter_index));
  }
  if (style.entry_shapes && allocation.output_shape.valid())
    out << ", output shape is |" << texts.text(allocation.output_shape) << '|';
  if (allocation.is_constant) out << ", constant";
  if (allocation.is_thread_local) out << ", thread-local";
  if (allocation.maybe_live_out) out << ", maybe-live-out";
  if (allocation.is_preallocated_temp) out << ", preallocated-temp";
  out << ':';
}

}  // namespace halo
