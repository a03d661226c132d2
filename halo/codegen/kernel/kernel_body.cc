// Finds what a fusion reads and writes.
#include "halo/codegen/kernel/kernel_body.h"

#include <algorithm>

#include "halo/eval/lanes/array.h"
#include "halo/runtime/stored_array.h"

namespace halo {
namespace {

constexpr int kMaxBodyDepth = 32;

// Appends the arrays of a shape in order. Returns false if the shape contains anything else.
bool AddLeaves(const Module& module, ShapeId shape, std::vector<ArrayView>& leaves,
               std::string& why, int depth = 0) {
  if (depth > kMaxBodyDepth) {
    why = "tuples nested too deeply";
    return false;
  }
  if (module.shapes.is_tuple(shape)) {
    for (const ShapeId element : module.shapes.elements(shape)) {
      if (!AddLeaves(module, element, leaves, why, depth + 1)) return false;
    }
    return true;
  }
  if (!module.shapes.is_array(shape)) {
    why = "a value that is not an array";
    return false;
  }
  if (module.shapes.has_dynamic(shape)) {
    why = "a dynamic dimension";
    return false;
  }
  leaves.push_back(ViewOf(module, shape));
  return true;
}

}  // namespace

ArrayView ViewOf(const Module& module, ShapeId shape) {
  ArrayView view;
  view.type = module.shapes.type(shape);
  const std::span<const int64_t> dims = module.shapes.dims(shape);
  view.dims.assign(dims.begin(), dims.end());
  view.strides = StoredStrides(module.shapes, shape);
  view.count = ElementsIn(dims);
  const Layout* layout = module.shapes.layout(shape);
  if (layout != nullptr && layout->minor_to_major.size() == dims.size()) {
    view.major_to_minor.assign(layout->minor_to_major.rbegin(), layout->minor_to_major.rend());
  } else {
    for (size_t i = 0; i < dims.size(); ++i) view.major_to_minor.push_back(static_cast<int64_t>(i));
  }
  return view;
}

std::optional<KernelBody> MakeKernelBody(const Module& module, InstId id, std::string& why) {
  KernelBody body;
  body.module = &module;
  body.inst = id;
  const Inst& inst = module.inst(id);
  std::vector<uint32_t> first;  // first leaf of each operand
  for (const InstId operand : module.operands_of(inst)) {
    first.push_back(static_cast<uint32_t>(body.buffers.size()));
    if (!AddLeaves(module, module.inst(operand).shape, body.buffers, why)) return std::nullopt;
  }
  body.operand_leaves = static_cast<uint32_t>(body.buffers.size());
  if (!AddLeaves(module, inst.shape, body.buffers, why)) return std::nullopt;
  const ShapeTable& shapes = module.shapes;
  const auto is_tuple = [&](ShapeId shape) { return shapes.is_tuple(shape); };
  if (is_tuple(inst.shape) && std::ranges::any_of(shapes.elements(inst.shape), is_tuple)) {
    why = "a tuple inside the result";
    return std::nullopt;
  }
  const size_t results = body.buffers.size() - body.operand_leaves;

  if (inst.opcode != Opcode::kFusion) {
    const std::span<const InstId> operands = module.operands_of(inst);
    for (size_t i = 0; i < operands.size(); ++i) body.inputs.emplace(operands[i].value, first[i]);
    for (size_t i = 0; i < results; ++i) {
      body.roots.push_back(id);
      body.parts.push_back(static_cast<uint32_t>(i));
    }
    return body;
  }
  const Attr* calls = module.Find(inst, AttrKey::k_calls);
  if (calls == nullptr || module.list(calls->value).empty()) {
    why = "a fusion without computation";
    return std::nullopt;
  }
  const Computation& comp =
      module.comp(CompId(static_cast<uint32_t>(module.list(calls->value)[0])));
  for (uint32_t i = 0; i < comp.count; ++i) {
    const InstId each(comp.first + i);
    const Inst& inner = module.inst(each);
    if (inner.opcode == Opcode::kParameter && inner.extra < first.size()) {
      body.inputs.emplace(each.value, first[inner.extra]);
    }
  }
  const Inst& root = module.inst(comp.root);
  if (root.opcode == Opcode::kTuple) {
    for (const InstId each : module.operands_of(root)) {
      body.roots.push_back(each);
      body.parts.push_back(0);
    }
  } else {
    for (size_t i = 0; i < results; ++i) {
      body.roots.push_back(comp.root);
      body.parts.push_back(static_cast<uint32_t>(i));
    }
  }
  if (body.roots.size() != results) {
    why = "another number of results than the fusion has";
    return std::nullopt;
  }
  return body;
}

}  // namespace halo
