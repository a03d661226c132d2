// cuBLAS's and oneDNN's GEMM calls: a dot with scalars and an addend, written directly to the
// result if nothing else is applied to the sums, otherwise to f32 or f64 followed by an epilogue.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/codegen/library/dots/lib_dot_kernel.h"
#include "halo/codegen/library/lib_epilogue.h"
#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_workspaces.h"
#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/gemm_config.h"
#include "halo/eval/calls/onednn_config.h"

namespace halo {
namespace {

bool IsFp8(ElementType type) {
  return InfoOf(type).klass == ElementClass::kFloat && InfoOf(type).bits == 8;
}

class GemmOp : public LibraryOp {
 public:
  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    auto* workspace = static_cast<uint8_t*>(scratch);
    void* result = buffers[operand_count];
    if (addend) {
      // An addend that aliases the result is already in place.
      if (buffers[*addend] != result) {
        move_addend.Run(buffers[*addend], result);
      } else if (!addend_order_matches) {
        return LibraryRefusal(name, "an addend with another layout than the result");
      }
    }
    void* product = epilogue ? workspace + sums_at : result;
    if (!plan->Run(buffers[0], buffers[1], product, workspace + plan_at)) {
      return LibraryRefusal(name, plan->Text());
    }
    if (epilogue) epilogue->Run(buffers, product, result, workspace);
    workspaces.Clear(buffers);
    return std::nullopt;
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return scratch_plan.bytes(); }
  [[nodiscard]] double flops() const override { return plan->flops(); }
  [[nodiscard]] std::string Text() const override {
    return plan->Text() + (epilogue ? ", epilogue" : "");
  }

  // Set by the function that creates the op.
  std::string name;
  size_t operand_count = 0;
  std::optional<DotKernel> plan;
  int64_t plan_at = 0, sums_at = 0;
  std::optional<Epilogue> epilogue;
  std::optional<size_t> addend;
  bool addend_order_matches = false;
  Move move_addend;
  Workspaces workspaces;
  ScratchLayout scratch_plan;
};

struct PlacedCall {
  PlacedArrays operands, results;
};

std::optional<PlacedCall> PlacedArraysOf(const Module& module, const Inst& inst) {
  auto operands = PlacedOperands(module, inst);
  auto results = PlacedResults(module, inst);
  if (!operands || !results || operands->size() < 2 || results->empty()) return std::nullopt;
  return PlacedCall{*std::move(operands), *std::move(results)};
}

// Strides of an operand whose elements repeat over the result's dimensions in row-major order;
// nullopt if it does not end at a dimension boundary.
std::optional<Dims> TrailingStrides(const Placed& operand, std::span<const int64_t> dims) {
  const int64_t size = operand.count();
  Dims strides(dims.size(), 0);
  int64_t covered = 1;
  size_t i = dims.size();
  for (; i-- > 0 && covered < size; covered *= dims[i]) strides[i] = covered;
  if (covered != size || size == 0) return std::nullopt;
  if (operand.strides != RowMajorStrides(operand.dims)) return std::nullopt;
  return strides;
}

std::unique_ptr<GemmOp> StartOp(const Module& module, InstId id, const PlacedCall& placed,
                                size_t known_results) {
  auto op = std::make_unique<GemmOp>();
  op->name = std::string(module.name_of(module.inst(id)));
  op->operand_count = placed.operands.size();
  op->workspaces = Workspaces(module, id, known_results);
  return op;
}

// Computes directly into the result, on top of the addend if there is one.
bool PlanDirect(const PlacedCall& placed, const GemmConfig& gemm, GemmOp& op) {
  const Placed& result = placed.results[0];
  if (gemm.matrix) {
    const Placed& matrix = placed.operands[*gemm.matrix];
    op.addend = gemm.matrix;
    op.addend_order_matches = matrix.strides == result.strides;
    op.move_addend = Move(matrix.type, result.type, result.dims, matrix.strides, result.strides);
  }
  op.plan = DotKernel::Make(placed.operands[0], placed.operands[1], result, gemm.dims,
                            {.alpha = gemm.alpha, .beta = gemm.beta});
  if (!op.plan) return false;
  op.plan_at = op.scratch_plan.Take(op.plan->scratch_bytes());
  return true;
}

// Computes into a separate buffer of sums. The caller must have added the epilogue's steps.
bool PlanSums(const PlacedCall& placed, const DotDims& dims, GemmOp& op) {
  const Placed sums = op.epilogue->sums();
  op.sums_at = op.scratch_plan.Take(sums.bytes());
  op.plan = DotKernel::Make(placed.operands[0], placed.operands[1], sums, dims);
  if (!op.plan) return false;
  op.plan_at = op.scratch_plan.Take(op.plan->scratch_bytes());
  return true;
}

bool IsWide(const PlacedCall& placed) {
  return placed.operands[0].type == ElementType::kF64 ||
         placed.operands[1].type == ElementType::kF64 ||
         placed.results[0].type == ElementType::kF64;
}

bool AddSteps(const PlacedCall& placed, const GemmConfig& gemm, GemmOp& op) {
  const Placed& result = placed.results[0];
  const auto& operands = placed.operands;
  Epilogue& steps = op.epilogue.emplace(result, IsWide(placed));
  steps.Multiply(gemm.alpha);
  for (const auto& scale : {gemm.lhs_scale, gemm.rhs_scale}) {
    if (!scale) continue;
    if (operands[*scale].count() != 1) return false;
    steps.MultiplyByOperand(*scale, operands[*scale].type);
  }
  if (gemm.matrix) {
    const Placed& matrix = operands[*gemm.matrix];
    steps.Add(*gemm.matrix, matrix.type, matrix.strides, gemm.beta, op.scratch_plan);
  }
  if (gemm.bias) {
    const auto strides = TrailingStrides(operands[*gemm.bias], result.dims);
    if (!strides) return false;
    steps.Add(*gemm.bias, operands[*gemm.bias].type, *strides, 1, op.scratch_plan);
  }
  size_t next = 1;
  if (gemm.epilogue.aux) {
    if (next >= placed.results.size() || placed.results[next].dims != result.dims) return false;
    steps.Keep(placed.results[next], operands.size() + next);
    ++next;
  }
  steps.Activate(gemm.epilogue.activation, 0);
  if (gemm.damax) {
    if (next >= placed.results.size() || placed.results[next].count() != 1) return false;
    steps.Measure(placed.results[next].type, operands.size() + next);
  }
  if (gemm.result_scale) {
    if (operands[*gemm.result_scale].count() != 1) return false;
    steps.MultiplyByOperand(*gemm.result_scale, operands[*gemm.result_scale].type);
  }
  return true;
}

// With these dimensions, of which the first may be missing: the elements are used again for each of
// their positions.
Placed Repeated(Placed operand, const std::vector<int64_t>& dims) {
  operand.strides.insert(operand.strides.begin(), dims.size() - operand.dims.size(), 0);
  operand.dims = dims;
  return operand;
}

// If this returns null, the reference evaluator reports what is wrong with the call.
std::unique_ptr<LibraryOp> MakeCublas(const Module& module, InstId id, bool fp8) {
  const Inst& inst = module.inst(id);
  auto placed = PlacedArraysOf(module, inst);
  const auto config = ParseCallConfig(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!placed || !config) return nullptr;
  const Placed& result = placed->results[0];
  std::string wrong;
  const auto gemm = ReadGemmConfig(*config,
                                   {.lhs = placed->operands[0].dims,
                                    .rhs = placed->operands[1].dims,
                                    .count = placed->operands.size(),
                                    .scaled = fp8,
                                    .scaled_result = fp8 && IsFp8(result.type)},
                                   wrong);
  if (!gemm || ProductDims(gemm->lhs, gemm->rhs, gemm->dims) != result.dims) return nullptr;
  placed->operands.Replace(0, Repeated(placed->operands[0], gemm->lhs));
  placed->operands.Replace(1, Repeated(placed->operands[1], gemm->rhs));
  if (gemm->matrix && placed->operands[*gemm->matrix].dims != result.dims) return nullptr;
  const bool plain = !gemm->bias && gemm->epilogue.activation == Activation::kNone &&
                     !gemm->epilogue.aux && !gemm->damax && !gemm->lhs_scale;
  const bool direct =
      plain && (!gemm->matrix || placed->operands[*gemm->matrix].type == result.type);
  const bool complex = InfoOf(result.type).klass == ElementClass::kComplex;
  if (complex && (!direct || gemm->alpha_imaginary != 0)) return nullptr;
  if ((IsIntegerType(result.type) || result.type == ElementType::kPred) &&
      (!direct || gemm->alpha != 1 || gemm->matrix)) {
    return nullptr;
  }
  const size_t known = 1 + (gemm->epilogue.aux ? 1 : 0) + (gemm->damax ? 1 : 0);
  std::unique_ptr<GemmOp> op = StartOp(module, id, *placed, known);
  const bool planned = direct ? PlanDirect(*placed, *gemm, *op)
                              : AddSteps(*placed, *gemm, *op) && PlanSums(*placed, gemm->dims, *op);
  if (!planned) return nullptr;
  return op;
}

std::optional<DotDims> OneDnnDims(const JsonValue& config, const Placed& lhs, const Placed& rhs) {
  const auto rank = static_cast<int64_t>(lhs.dims.size());
  if (config["optimization_config"]["weights_prepacked"].AsBool(false) || rank < 2 ||
      rhs.dims.size() != lhs.dims.size()) {
    return std::nullopt;
  }
  DotDims dims;
  for (int64_t i = 0; i + 2 < rank; ++i) {
    dims.lhs_batch.push_back(i);
    dims.rhs_batch.push_back(i);
    if (lhs.dims[static_cast<size_t>(i)] != rhs.dims[static_cast<size_t>(i)]) return std::nullopt;
  }
  dims.lhs_contracting = {config["transpose_a"].AsBool(false) ? rank - 2 : rank - 1};
  dims.rhs_contracting = {config["transpose_b"].AsBool(false) ? rank - 1 : rank - 2};
  if (lhs.dims[static_cast<size_t>(dims.lhs_contracting[0])] !=
      rhs.dims[static_cast<size_t>(dims.rhs_contracting[0])]) {
    return std::nullopt;
  }
  return dims;
}

// Strides of an operand that is broadcast along dimensions of size 1 or missing leading ones.
std::optional<Dims> RepeatedStrides(const Placed& operand, std::span<const int64_t> dims) {
  if (operand.dims.size() > dims.size()) return std::nullopt;
  const size_t missing = dims.size() - operand.dims.size();
  Dims strides(dims.size(), 0);
  for (size_t i = 0; i < operand.dims.size(); ++i) {
    if (operand.dims[i] == 1) continue;
    if (operand.dims[i] != dims[missing + i]) return std::nullopt;
    strides[missing + i] = operand.strides[i];
  }
  return strides;
}

bool AddFused(const PlacedCall& placed, const std::vector<OneDnnPostOp>& fused, GemmOp& op) {
  const Placed& result = placed.results[0];
  if (InfoOf(result.type).klass != ElementClass::kFloat) return false;
  Epilogue& steps = op.epilogue.emplace(result, IsWide(placed));
  size_t next = 2;
  for (const OneDnnPostOp& step : fused) {
    if (!step.adds) {
      steps.Multiply(step.factor);
      steps.Activate(step.activation, step.slope);
      continue;
    }
    if (next >= placed.operands.size()) return false;
    const Placed& addend = placed.operands[next];
    const auto strides = RepeatedStrides(addend, result.dims);
    if (!strides) return false;
    steps.Add(next++, addend.type, *strides, 1, op.scratch_plan);
  }
  return true;
}

}  // namespace

std::unique_ptr<LibraryOp> MakeGemmCallOp(const Module& module, InstId inst) {
  return MakeCublas(module, inst, false);
}

std::unique_ptr<LibraryOp> MakeScaledGemmCallOp(const Module& module, InstId inst) {
  return MakeCublas(module, inst, true);
}

std::unique_ptr<LibraryOp> MakeOneDnnMatmulCallOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto placed = PlacedArraysOf(module, inst);
  const auto config = ParseCallConfig(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!placed || !config) return nullptr;
  if (!AreOneDnnTypes(
          {placed->operands[0].type, placed->operands[1].type, placed->results[0].type})) {
    return nullptr;
  }
  const JsonValue& fields = (*config)["onednn_matmul_config"];
  const auto fused = ReadFusedOps(fields["fusions"]);
  const auto dims = OneDnnDims(fields, placed->operands[0], placed->operands[1]);
  if (!fused || !dims ||
      ProductDims(placed->operands[0].dims, placed->operands[1].dims, *dims) !=
          placed->results[0].dims) {
    return nullptr;
  }
  GemmConfig gemm;
  gemm.dims = *dims;
  std::unique_ptr<GemmOp> op = StartOp(module, id, *placed, 1);
  const bool planned = fused->empty()
                           ? PlanDirect(*placed, gemm, *op)
                           : AddFused(*placed, *fused, *op) && PlanSums(*placed, gemm.dims, *op);
  if (!planned) return nullptr;
  return op;
}

}  // namespace halo
