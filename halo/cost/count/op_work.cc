// Counts follow XLA's cost analysis, so that figures can be compared with those that frameworks
// print.
#include "halo/cost/count/op_work.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "halo/cost/count/attention_flops.h"
#include "halo/cost/count/library_calls.h"
#include "halo/cost/count/products.h"
#include "halo/cost/count/traffic.h"
#include "halo/ir/attributes/window.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

double CountElements(const Module& module, ShapeId shape) {
  return static_cast<double>(module.shapes.ElementCount(shape).value_or(0));
}

// Of all arrays in a shape.
double CountAll(const Module& module, ShapeId shape) {
  if (!module.shapes.is_tuple(shape)) {
    return module.shapes.is_array(shape) ? CountElements(module, shape) : 0;
  }
  double count = 0;
  for (const ShapeId part : module.shapes.elements(shape)) {
    if (module.shapes.is_array(part)) count += CountElements(module, part);
  }
  return count;
}

// Of the first array in a shape: the others of a variadic op have the same dimensions.
double CountFirst(const Module& module, ShapeId shape) {
  const std::span<const ShapeId> parts = module.shapes.elements(shape);
  return CountElements(module, parts.empty() ? shape : parts[0]);
}

double CountOperand(const Module& module, const Inst& inst, size_t i) {
  const std::span<const InstId> operands = module.operands_of(inst);
  if (i >= operands.size() || !operands[i].valid()) return 0;
  return CountFirst(module, module.inst(operands[i]).shape);
}

double WindowElements(const Module& module, const Inst& inst) {
  const Attr* attr = module.Find(inst, AttrKey::k_window);
  if (attr == nullptr) return 1;
  double count = 1;
  for (const WindowDim& dim : DecodeWindow(module.list(attr->value)).dims) {
    count *= static_cast<double>(dim.size);
  }
  return count;
}

// A window that covers the whole of one dimension at each position is a reduction and a broadcast;
// backends compute it as such.
double WindowApplications(const Module& module, const Inst& inst) {
  const double outputs = CountFirst(module, inst.shape);
  const double plain = (WindowElements(module, inst) - 1) * outputs;
  const Attr* attr = module.Find(inst, AttrKey::k_window);
  if (attr == nullptr || !module.shapes.is_array(inst.shape)) return plain;
  const Window window = DecodeWindow(module.list(attr->value));
  const std::span<const int64_t> dims = module.shapes.dims(inst.shape);
  int64_t reduced = 0, padded = 0, span = 0;
  for (size_t i = 0; i < window.dims.size() && i < dims.size(); ++i) {
    const WindowDim& dim = window.dims[i];
    if (dim.size != 1) ++reduced;
    if (dim.pad_low != 0 || dim.pad_high != 0) ++padded;
    if (dim.size != 1 && dim.pad_low == dim.pad_high && dim.pad_low == dims[i] - 1 &&
        dim.pad_low > 0 && dim.size == 2 * dim.pad_low + 1) {
      span = dims[i];
    }
  }
  if (reduced != 1 || padded != 1 || span == 0) return plain;
  return outputs / static_cast<double>(span) + static_cast<double>(span - 1);
}

double FftFlops(const Module& module, const Inst& inst) {
  double steps = 1;
  for (const int64_t length : module.IntsOf(inst.attrs, AttrKey::k_fft_length)) {
    if (length > 0) steps *= static_cast<double>(std::bit_width(static_cast<uint64_t>(length)) - 1);
  }
  // A complex product takes four multiplications and additions.
  return 8 * steps * CountOperand(module, inst, 0);
}

double MinorExtent(const Module& module, const Inst& inst) {
  const std::span<const InstId> operands = module.operands_of(inst);
  if (operands.empty() || !operands[0].valid()) return 0;
  const std::span<const int64_t> dims = module.shapes.dims(module.inst(operands[0]).shape);
  return dims.empty() ? 0 : static_cast<double>(dims.back());
}

double SortFlops(const Module& module, const Inst& inst) {
  const double count = CountOperand(module, inst, 0);
  return count < 2 ? 0 : count * std::ceil(std::log2(count));
}

Work Flops(double flops) {
  Work work;
  work.flops = flops;
  return work;
}

Work Functions(double count) {
  Work work;
  work.transcendentals = count;
  return work;
}

Work OfProduct(const Module& module, const Inst& inst) {
  const std::optional<ProductSize> size = ProductOf(module, inst);
  if (!size) return {};
  Work work = Flops(size->flops);
  work.product_flops = size->flops;
  work.product_type = size->type;
  return work;
}

}  // namespace

OpWorkResult WorkOfInst(const Module& module, const Inst& inst, std::span<const Work> by_comp) {
  const auto applied = [&](AttrKey key, double times) {
    Work work;
    const Attr* attr = module.Find(inst, key);
    if (attr != nullptr && attr->value < by_comp.size()) {
      work.Add(by_comp[attr->value], std::max(times, 0.0));
    }
    return work;
  };
  const double results = CountFirst(module, inst.shape);
  switch (PropertiesOf(inst.opcode).work) {
    case OpWork::kNone: return {};
    case OpWork::kElement: return {Flops(CountAll(module, inst.shape))};
    case OpWork::kFunction: return {Functions(CountAll(module, inst.shape))};
    case OpWork::kMapped: return {applied(AttrKey::k_to_apply, results)};
    case OpWork::kReduced:
      return {applied(AttrKey::k_to_apply, CountOperand(module, inst, 0) - results)};
    case OpWork::kWindowed: return {applied(AttrKey::k_to_apply, WindowApplications(module, inst))};
    case OpWork::kSelected: {
      const double updates = CountOperand(module, inst, 1);
      Work work = applied(AttrKey::k_select, updates * (WindowElements(module, inst) - 1));
      work.Add(applied(AttrKey::k_scatter, updates));
      return {work};
    }
    case OpWork::kScattered:
      return {applied(AttrKey::k_to_apply, CountOperand(module, inst, inst.operand_count - 1))};
    case OpWork::kProduct:
    case OpWork::kConvolution: return {OfProduct(module, inst)};
    case OpWork::kFft: return {Flops(FftFlops(module, inst))};
    case OpWork::kTriangular:
      return {Flops(2 * MinorExtent(module, inst) * CountOperand(module, inst, 1))};
    case OpWork::kCholesky:
      return {Flops(std::floor(MinorExtent(module, inst) * CountOperand(module, inst, 0) / 3))};
    case OpWork::kSorted: return {Flops(SortFlops(module, inst))};
    case OpWork::kFused: {
      const CompId fused = BodyOfFusion(module, inst);
      return {fused.valid() ? by_comp[fused.index()] : Work()};
    }
    case OpWork::kOfTarget: break;
  }
  if (LibraryCallOf(module, inst) == LibraryCall::kMarker) return {};
  if (const std::optional<Attention> attention = AttentionOf(module, inst)) {
    Work work = Flops(attention->flops);
    work.product_flops = attention->flops;
    work.product_type = attention->type;
    return {work};
  }
  const Work product = OfProduct(module, inst);
  return {product, product.flops > 0 || LibraryCallOf(module, inst) == LibraryCall::kHost};
}

}  // namespace halo
