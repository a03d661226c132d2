// Counts leaves in the order in which the planner lays them out.
#include "halo/engine/step_arrays.h"

#include <memory>

#include "halo/runtime/stored_array.h"

namespace halo {
namespace {

void Add(const Module& module, InstId inst, size_t& buffer, size_t end,
         std::vector<StepArray>& out) {
  std::vector<ShapeId> shapes;
  ArrayLeaves(module.shapes, module.inst(inst).shape, shapes);
  for (size_t leaf = 0; leaf < shapes.size() && buffer < end; ++leaf) {
    out.push_back({inst, leaf, shapes[leaf], buffer++});
  }
}

}  // namespace

StepArrays ArraysOf(const Module& module, const Step& step) {
  StepArrays out;
  if (!step.blocks.empty()) return out;
  const Inst& inst = module.inst(step.inst);
  size_t next = 0;
  if (step.kind != Step::Kind::kAwait) {
    for (const InstId operand : module.operands_of(inst)) {
      Add(module, operand, next, step.buffers.size(), out.operands);
    }
  }
  if (step.kind == Step::Kind::kCollective) return out;
  if (step.kind != Step::Kind::kAwait) {
    Add(module, step.inst, next, step.buffers.size(), out.results);
    return out;
  }
  // The result of a start repeats its operands before its results.
  std::vector<ShapeId> shapes;
  ArrayLeaves(module.shapes, inst.shape, shapes);
  std::vector<ShapeId> repeated;
  for (const InstId operand : module.operands_of(inst)) {
    ArrayLeaves(module.shapes, module.inst(operand).shape, repeated);
  }
  const size_t count = step.buffers.size();
  const size_t first = shapes.size() >= repeated.size() + count ? repeated.size() : 0;
  for (size_t i = 0; i < count && first + i < shapes.size(); ++i) {
    out.results.push_back({step.inst, first + i, shapes[first + i], i});
  }
  return out;
}

Array FlatView(const Module& module, const StepArray& array, std::span<void* const> buffers) {
  const ElementType type = module.shapes.type(array.shape);
  const int64_t count =
      StoredArrayBytes(module.shapes, array.shape) / static_cast<int64_t>(StoredBytes(type));
  return Array::Borrowed(type, std::span(&count, 1),
                         static_cast<const uint8_t*>(buffers[array.buffer]), nullptr);
}

}  // namespace halo
