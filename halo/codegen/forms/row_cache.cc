// Selects the values of a row to keep.
#include "halo/codegen/forms/row_cache.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <unordered_set>

#include "halo/codegen/kernel/temp_layout.h"
#include "halo/codegen/scalar/scalar_ir.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

// The values are kept on the stack of the thread that computes the row.
constexpr int64_t kMostBytes = int64_t{1} << 18;

// All values of the full shape that a stage computes at its own position, among those that the
// given values depend on.
std::unordered_set<uint32_t> ComputedBehind(const KernelBody& body, const ReductionForm& form,
                                            std::vector<InstId> work) {
  std::unordered_set<uint32_t> seen;
  while (!work.empty()) {
    const InstId at = work.back();
    work.pop_back();
    const Inst& inst = body.at(at);
    if (body.inputs.contains(at.value) || !body.module->shapes.is_array(inst.shape) ||
        !std::ranges::equal(body.dims(at), form.dims) || !IsScalarOp(*body.module, inst)) {
      continue;
    }
    if (!seen.insert(at.value).second) continue;
    for (const InstId operand : body.operands(at)) work.push_back(operand);
  }
  return seen;
}

std::vector<InstId> StageStarts(const KernelBody& body, const ReductionForm& form, size_t level) {
  std::vector<InstId> starts;
  if (level == form.levels.size()) {
    for (const size_t k : form.element_roots) starts.push_back(body.roots[k]);
    return starts;
  }
  for (const InstId reduce : form.levels[level]) {
    const std::span<const InstId> operands = body.operands(reduce);
    starts.insert(starts.end(), operands.begin(),
                  operands.begin() + static_cast<int64_t>(operands.size() / 2));
  }
  return starts;
}

}  // namespace

std::unordered_set<uint32_t> StageValues(const KernelBody& body, const ReductionForm& form,
                                         size_t level) {
  return ComputedBehind(body, form, StageStarts(body, form, level));
}

bool IsExpensive(Opcode opcode) {
  return HasTrait(opcode, kElementwise) && PropertiesOf(opcode).cost >= CostClass::kDivision;
}

RowCache::RowCache(const ReductionForm& form, const KernelBody& body, KernelFrame& frame)
    : form_(form), body_(body), frame_(frame) {
  const size_t stages = form.levels.size() + 1;
  std::unordered_set<uint32_t> kept;
  int64_t bytes = 0;
  for (size_t level = 0; level + 1 < stages; ++level) {
    const auto now = StageValues(body, form, level);
    for (size_t later = level + 1; later < stages; ++later) {
      // Walk back from the results. A kept value hides the values it depends on.
      std::vector<InstId> work = StageStarts(body, form, later);
      std::unordered_set<uint32_t> seen;
      while (!work.empty()) {
        const InstId at = work.back();
        work.pop_back();
        if (body.inputs.contains(at.value) || !seen.insert(at.value).second) continue;
        if (kept.contains(at.value) || body.at(at).opcode == Opcode::kReduce) continue;
        if (now.contains(at.value) && IsExpensive(body.at(at).opcode)) {
          const int64_t size = form.columns * static_cast<int64_t>(StoredBytes(body.type(at)));
          if (bytes + size <= kMostBytes) {
            bytes += size;
            kept.insert(at.value);
            kept_.push_back(
                {at, level,
                 frame.Local(StoredType(frame.b.getContext(), body.type(at)), form.columns)});
            continue;
          }
        }
        for (const InstId operand : body.operands(at)) work.push_back(operand);
      }
    }
  }
}

void RowCache::Keep(size_t level, const ElementIndex& at, const Index& variables) {
  Index columns;
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (size_t i = form_.order.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(form_.order[i]);
    if (std::ranges::find(form_.folded, dim) == form_.folded.end()) continue;
    columns.push_back(variables[dim]);
    strides.push_back(stride);
    stride *= form_.dims[dim];
  }
  column_ = frame_.space.Linear(columns, strides);
  for (const Kept& each : kept_) {
    if (each.level != level) continue;
    llvm::Value* value = frame_.emitter.At(each.inst, at.Position(body_.dims(each.inst)));
    if (frame_.emitter.failed()) return;
    frame_.emitter.Store(body_.type(each.inst), each.memory, frame_.space.Emit(frame_.b, column_),
                         value);
  }
}

void RowCache::Use(size_t level, const ElementIndex& at) {
  for (const Kept& each : kept_) {
    if (each.level != level) continue;
    const Index position = at.Position(body_.dims(each.inst));
    frame_.emitter.Give(each.inst, [this, each, position](const Index& index, uint32_t) {
      return index == position ? frame_.emitter.Load(body_.type(each.inst), each.memory,
                                                     frame_.space.Emit(frame_.b, column_), false)
                               : nullptr;
    });
  }
}

llvm::Value* TempAddress(KernelFrame& frame, int64_t offset) {
  return frame.b.CreateInBoundsGEP(frame.b.getInt8Ty(), frame.Temp(), frame.Number(offset));
}

}  // namespace halo
