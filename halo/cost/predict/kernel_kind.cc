// The order of KernelKind is that of weight: of the ops in a fusion, the first kind decides, and of
// two ops of one kind, the one with the larger result.
#include "halo/cost/predict/kernel_kind.h"

#include <array>
#include <span>

#include "halo/cost/count/library_calls.h"
#include "halo/cost/count/traffic.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr uint32_t kMaxLookedAt = 20000;  // instructions inside one fusion

KernelKind KindOfCall(LibraryCall call) {
  switch (call) {
    case LibraryCall::kGemm: return KernelKind::kProduct;
    case LibraryCall::kConvolution: return KernelKind::kConvolution;
    case LibraryCall::kAttention: return KernelKind::kAttention;
    case LibraryCall::kNorm: return KernelKind::kReduction;
    case LibraryCall::kSort:
    case LibraryCall::kSelect: return KernelKind::kSort;
    case LibraryCall::kFactorization: return KernelKind::kLinearAlgebra;
    case LibraryCall::kHost: return KernelKind::kTransfer;
    case LibraryCall::kMarker:
    case LibraryCall::kNone: return KernelKind::kNone;
    case LibraryCall::kOpaque: return KernelKind::kOpaque;
  }
  return KernelKind::kOpaque;
}

// True if the minor dimension of operand 0 does not stay minor.
bool ChangesOrder(const Module& module, const Inst& inst) {
  const std::span<const InstId> operands = module.operands_of(inst);
  if (operands.size() != 1 || !operands[0].valid()) return false;
  const ShapeId from = module.inst(operands[0]).shape;
  const Layout* before = module.shapes.layout(from);
  const Layout* after = module.shapes.layout(inst.shape);
  const std::span<const int64_t> dims = module.shapes.dims(from);
  const std::span<const int64_t> permutation = module.IntsOf(inst.attrs, AttrKey::k_dimensions);
  // Dimensions of extent 1 do not count.
  const auto minor_of = [&](const Layout* layout, ShapeId shape) -> int64_t {
    const std::span<const int64_t> extents = module.shapes.dims(shape);
    for (size_t i = 0; i < extents.size(); ++i) {
      const auto dim = layout == nullptr || layout->minor_to_major.size() != extents.size()
                           ? static_cast<int64_t>(extents.size() - 1 - i)
                           : layout->minor_to_major[i];
      if (dim >= 0 && static_cast<size_t>(dim) < extents.size() &&
          extents[static_cast<size_t>(dim)] != 1) {
        return dim;
      }
    }
    return -1;
  };
  const int64_t minor_before = minor_of(before, from);
  int64_t minor_after = minor_of(after, inst.shape);
  if (minor_before < 0 || minor_after < 0) return false;
  // A transpose's result dimension i is operand dimension dimensions[i]; a copy keeps them.
  if (permutation.size() == dims.size() && static_cast<size_t>(minor_after) < permutation.size()) {
    minor_after = permutation[static_cast<size_t>(minor_after)];
  } else if (module.shapes.dims(inst.shape).size() != dims.size()) {
    return false;
  }
  return minor_before != minor_after;
}

KernelKind KindOfOp(const Module& module, const Inst& inst) {
  const OpProperties& op = PropertiesOf(inst.opcode);
  if (op.group != CollectiveFamily::kNone) {
    const bool is_done = op.partner != Opcode::kUnknown && op.sync == Opcode::kUnknown;
    return is_done ? KernelKind::kNone : KernelKind::kCollective;
  }
  switch (op.work) {
    case OpWork::kProduct: return KernelKind::kProduct;
    case OpWork::kConvolution: return KernelKind::kConvolution;
    case OpWork::kScattered:
    case OpWork::kSelected: return KernelKind::kScatter;
    case OpWork::kSorted: return KernelKind::kSort;
    case OpWork::kReduced:
    case OpWork::kWindowed: return KernelKind::kReduction;
    case OpWork::kFft:
    case OpWork::kTriangular:
    case OpWork::kCholesky: return KernelKind::kLinearAlgebra;
    case OpWork::kOfTarget: return KindOfCall(LibraryCallOf(module, inst));
    default: break;
  }
  switch (op.flow) {
    case OpFlow::kComputed: break;
    case OpFlow::kCopy:
    case OpFlow::kCopyStart:
      return ChangesOrder(module, inst) ? KernelKind::kTranspose : KernelKind::kCopy;
    case OpFlow::kTransfer:
    case OpFlow::kSend: return KernelKind::kTransfer;
    case OpFlow::kFusion: return KernelKind::kLoop;
    default: return KernelKind::kNone;
  }
  if (op.elements == OpElements::kGathered) return KernelKind::kGather;
  if (op.elements == OpElements::kUpdated) return KernelKind::kUpdate;
  if (op.category == OpCategory::kReduce) return KernelKind::kSort;  // top-k
  if (HasFlag(inst.opcode, kRelayouts) && ChangesOrder(module, inst)) return KernelKind::kTranspose;
  return KernelKind::kLoop;
}

}  // namespace

std::string_view KernelKindText(KernelKind kind) {
  constexpr std::array<std::string_view, kKernelKinds> kTexts = {
      "none", "product",        "convolution", "attention",  "collective", "scatter",
      "sort", "reduction",      "transpose",   "gather",     "update",     "loop",
      "copy", "linear algebra", "transfer",    "opaque call"};
  return kTexts[static_cast<size_t>(kind)];
}

namespace {

// An invalid hero means the fusion itself.
Kernel KernelInside(const Module& module, CompId fused) {
  Kernel kernel{KernelKind::kLoop, {}};
  int64_t largest = -1;
  uint32_t left = kMaxLookedAt;
  std::vector<CompId> open = {fused};
  while (!open.empty()) {
    const Computation& comp = module.comp(open.back());
    open.pop_back();
    for (uint32_t i = comp.first; i < comp.first + comp.count && left > 0; ++i, --left) {
      const Inst& inner = module.insts[i];
      const CompId nested = BodyOfFusion(module, inner);
      if (nested.valid()) open.push_back(nested);
      const KernelKind kind = KindOfOp(module, inner);
      if (kind == KernelKind::kNone || kind > kernel.kind) continue;
      const int64_t size = module.shapes.ByteSize(inner.shape).value_or(0);
      if (kind < kernel.kind || size > largest) {
        kernel = {kind, InstId(i)};
        largest = size;
      }
    }
  }
  return kernel;
}

}  // namespace

Kernel KernelOf(const Module& module, InstId id) { return Kernels(module).Of(id); }

Kernel Kernels::Of(InstId id) {
  const Inst& inst = module_.inst(id);
  const CompId fused = BodyOfFusion(module_, inst);
  if (!fused.valid()) return {KindOfOp(module_, inst), id};
  const auto [known, is_new] = fused_.try_emplace(fused.value);
  if (is_new) known->second = KernelInside(module_, fused);
  Kernel kernel = known->second;
  if (!kernel.hero.valid()) kernel.hero = id;
  return kernel;
}

}  // namespace halo
