// Follows paths into tuples on both sides.
#include "halo/api/steps/fed_results.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "halo/analysis/inputs/input_roles.h"
#include "halo/api/document/run_diagnostics.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/semantics/facts/shape_index.h"

namespace halo {
namespace {

std::string PathText(std::span<const int64_t> path) {
  std::string text = "{";
  for (const int64_t step : path) text += (text.size() > 1 ? "," : "") + std::to_string(step);
  return text + "}";
}

bool SameArrays(const ShapeTable& shapes, ShapeId a, ShapeId b) {
  return shapes.is_array(a) && shapes.is_array(b) && shapes.type(a) == shapes.type(b) &&
         std::ranges::equal(shapes.dims(a), shapes.dims(b));
}

}  // namespace

Result<std::vector<FedResult>> FindFedResults(const Module& module) {
  std::vector<FedResult> fed;
  const std::vector<InputLeaf> leaves = InputLeaves(module);
  std::map<std::pair<int64_t, std::vector<int64_t>>, size_t> numbers;
  for (size_t i = 0; i < leaves.size(); ++i) {
    numbers.try_emplace({leaves[i].parameter, leaves[i].path}, i);
  }
  const ShapeId result = module.inst(module.comp(module.entry).root).shape;
  for (AliasEntry& alias :
       DecodeAliases(module.IntsOf(module.attrs, AttrKey::k_input_output_alias))) {
    const auto number = numbers.find({alias.number, alias.input_index});
    const std::optional<ShapeId> from = Subshape(module.shapes, result, alias.output_index);
    if (number == numbers.end() || !from ||
        !SameArrays(module.shapes, *from, leaves[number->second].shape)) {
      return MakeBinaryDiagnostic(
          diag::kNoState, 0,
          "result " + PathText(alias.output_index) + " cannot replace parameter " +
              std::to_string(alias.number) + " " + PathText(alias.input_index) +
              ", which input_output_alias says: they have different shapes");
    }
    fed.push_back({std::move(alias.output_index), static_cast<size_t>(alias.number),
                   std::move(alias.input_index), number->second, leaves[number->second].shape});
  }
  if (fed.empty()) {
    return MakeBinaryDiagnostic(diag::kNoState, 0,
                                "no result replaces a parameter: the module has no "
                                "input_output_alias");
  }
  std::ranges::sort(fed, {}, &FedResult::input);
  return fed;
}

const Array* ArrayAt(const Value& value, std::span<const int64_t> path) {
  const Value* at = &value;
  for (const int64_t step : path) {
    if (step < 0 || static_cast<size_t>(step) >= at->elements().size()) return nullptr;
    at = &at->elements()[static_cast<size_t>(step)];
  }
  return at->is_array() ? &at->array() : nullptr;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a verified shape
void ReplaceArray(Value& value, std::span<const int64_t> path, Array array) {
  if (path.empty()) {
    value = std::move(array);
    return;
  }
  std::vector<Value> elements = value.TakeElements();
  if (path[0] >= 0 && static_cast<size_t>(path[0]) < elements.size()) {
    ReplaceArray(elements[static_cast<size_t>(path[0])], path.subspan(1), std::move(array));
  }
  value = Value::Tuple(std::move(elements));
}

void FeedBack(std::span<const FedResult> fed, const Value& result, std::vector<Value>& arguments) {
  for (const FedResult& each : fed) {
    const Array* from = ArrayAt(result, each.result);
    if (from == nullptr || each.parameter >= arguments.size()) continue;
    // Results may be stored where the next step computes, so they are copied.
    Array copy(from->type(), from->dims());
    if (copy.byte_count() != 0) {
      std::memcpy(copy.MutableBytes(), from->bytes(), copy.byte_count());
    }
    ReplaceArray(arguments[each.parameter], each.path, std::move(copy));
  }
}

}  // namespace halo
