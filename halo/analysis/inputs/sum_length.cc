// Lengths follow from shapes; loops around an instruction do not count.
#include "halo/analysis/inputs/sum_length.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "halo/ir/attributes/window.h"

namespace halo {
namespace {

constexpr double kMost = 1e15;

int64_t Whole(double length) { return static_cast<int64_t>(std::clamp(length, 1.0, kMost)); }

double Count(const Module& module, ShapeId shape) {
  if (module.shapes.is_tuple(shape)) {
    const std::span<const ShapeId> elements = module.shapes.elements(shape);
    return elements.empty() ? 1 : Count(module, elements[0]);
  }
  if (!module.shapes.is_array(shape)) return 1;
  return static_cast<double>(std::max<int64_t>(module.shapes.ElementCount(shape).value_or(1), 1));
}

double OperandCount(const Module& module, const Inst& inst, size_t i) {
  return Count(module, module.inst(module.operands_of(inst)[i]).shape);
}

int64_t OfDot(const Module& module, const Inst& inst) {
  const std::span<const int64_t> dims =
      module.shapes.dims(module.inst(module.operands_of(inst)[0]).shape);
  double length = 1;
  for (const int64_t d : module.IntsOf(inst.attrs, AttrKey::k_lhs_contracting_dims)) {
    if (d >= 0 && static_cast<size_t>(d) < dims.size()) {
      length *= static_cast<double>(dims[static_cast<size_t>(d)]);
    }
  }
  return Whole(length);
}

// One sum covers every kernel element except along the output features.
int64_t OfConvolution(const Module& module, const Inst& inst) {
  const std::string_view labels = module.TextOr(inst.attrs, AttrKey::k_dim_labels);
  const size_t begin = labels.find('_');
  const size_t end = labels.find("->");
  if (begin == std::string_view::npos || end == std::string_view::npos) return 1;
  const size_t output = labels.substr(begin + 1, end - begin - 1).find('o');
  const std::span<const int64_t> dims =
      module.shapes.dims(module.inst(module.operands_of(inst)[1]).shape);
  if (output >= dims.size() || dims[output] <= 0) return 1;
  return Whole(OperandCount(module, inst, 1) / static_cast<double>(dims[output]));
}

int64_t OfWindow(const Module& module, const Inst& inst) {
  const Attr* window = module.Find(inst, AttrKey::k_window);
  if (window == nullptr) return 1;
  double length = 1;
  for (const WindowDim& dim : DecodeWindow(module.list(window->value)).dims) {
    length *= static_cast<double>(dim.size);
  }
  return Whole(length);
}

}  // namespace

int64_t SumLength(const Module& module, const Inst& inst) {
  if (inst.operand_count == 0) return 0;
  switch (inst.opcode) {
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kRaggedDot: return OfDot(module, inst);
    case Opcode::kConvolution: return inst.operand_count < 2 ? 0 : OfConvolution(module, inst);
    case Opcode::kReduce: return Whole(OperandCount(module, inst, 0) / Count(module, inst.shape));
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: return OfWindow(module, inst);
    case Opcode::kScatter:
      return Whole(OperandCount(module, inst, inst.operand_count - 1) /
                   OperandCount(module, inst, 0));
    case Opcode::kCustomCall: {
      const std::string_view target = module.TextOr(inst.attrs, AttrKey::k_custom_call_target);
      if (!target.starts_with("__cublas") || inst.operand_count < 2) return 0;
      // From m*k, k*n and m*n elements.
      return Whole(std::sqrt(OperandCount(module, inst, 0) * OperandCount(module, inst, 1) /
                             Count(module, inst.shape)));
    }
    default: return 0;
  }
}

int64_t LongestSum(const Module& module) {
  int64_t longest = 1;
  for (const Inst& inst : module.insts) longest = std::max(longest, SumLength(module, inst));
  return longest;
}

}  // namespace halo
