// Shapes of transforms and solvers (fft, triangular-solve, cholesky) and of batch normalization.
#include <algorithm>
#include <vector>

#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

bool NeedFloats(RuleContext& op) {
  if (IsFloat(op.type(0)) || IsComplex(op.type(0))) return true;
  op.Report(Rule::kElementType, op.opcode_text(), " takes floats and complex numbers, not ",
            op.OperandText(0));
  return false;
}

bool NeedSquare(RuleContext& op) {
  const Dims a = op.dims(0);
  if (a.size() >= 2 && SameSize(a[a.size() - 1], a[a.size() - 2])) return true;
  op.Report(Rule::kSquareMatrix, op.opcode_text(), " takes square matrices, not ",
            op.OperandText(0));
  return false;
}

// Checks that the last dimensions of the operand are the transform's lengths: the first `checked`
// of them.
bool NeedLengths(RuleContext& op, Dims lengths, size_t checked) {
  const Dims dims = op.dims(0);
  for (size_t i = 0; i < checked; ++i) {
    const int64_t size = dims[dims.size() - lengths.size() + i];
    if (SameSize(size, lengths[i])) continue;
    op.Report(Rule::kFftLength, "fft_length=", ListText(lengths), " of ", op.OperandText(0));
    return false;
  }
  return true;
}

Inferred InferRealFft(RuleContext& op, Dims lengths) {
  const ElementType type = op.type(0);
  if (type != ElementType::kF32 && type != ElementType::kF64) {
    return op.Fail(Rule::kFftType, "RFFT takes f32 or f64, not ", op.OperandText(0));
  }
  if (!NeedLengths(op, lengths, lengths.size())) return std::nullopt;
  std::vector<int64_t> dims(op.dims(0).begin(), op.dims(0).end());
  if (lengths.back() != 0) dims.back() = lengths.back() / 2 + 1;
  return ShapeValue::Array(type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128,
                           dims);
}

Inferred InferInverseRealFft(RuleContext& op, Dims lengths) {
  if (!NeedLengths(op, lengths, lengths.size() - 1)) return std::nullopt;
  std::vector<int64_t> dims(op.dims(0).begin(), op.dims(0).end());
  if ((dims.back() != 0 || lengths.back() != 0) && !SameSize(dims.back(), lengths.back() / 2 + 1)) {
    return op.Fail(Rule::kFftLength, "IRFFT of length ", lengths.back(), " takes ",
                   lengths.back() / 2 + 1, " elements; the operand is ", op.OperandText(0));
  }
  dims.back() = lengths.back();
  return ShapeValue::Array(ComponentType(op.type(0)), dims);
}

// Checks that operands 1, 2, ... hold one number for each feature.
bool NeedFeatures(RuleContext& op, size_t end, int64_t features) {
  for (size_t i = 1; i < end; ++i) {
    if (op.dims(i).size() == 1 && SameSize(op.dims(i)[0], features) && IsFloat(op.type(i))) {
      continue;
    }
    op.Report(Rule::kBatchNormFeatures, "operand ", i, " is ", op.OperandText(i), "; there are ",
              features, " features");
    return false;
  }
  return true;
}

// Returns the number of features; nothing after a report.
std::optional<int64_t> Features(RuleContext& op) {
  const int64_t index = op.int_or(AttrKey::k_feature_index, 0);
  if (index < 0 || index >= static_cast<int64_t>(op.dims(0).size())) {
    return op.Fail(Rule::kBatchNormFeatures, "feature_index=", index, " of ", op.OperandText(0));
  }
  if (!IsFloat(op.type(0))) {
    return op.Fail(Rule::kElementType, op.opcode_text(), " takes floats, not ", op.OperandText(0));
  }
  return op.dims(0)[static_cast<size_t>(index)];
}

ShapeValue WithFeatures(const RuleContext& op, int64_t features) {
  std::vector<ShapeValue> values;
  values.push_back(ShapeValue::Same(op.operand(0)));
  values.push_back(ShapeValue::Array(op.type(0), {&features, 1}));
  values.push_back(ShapeValue::Array(op.type(0), {&features, 1}));
  return ShapeValue::Tuple(std::move(values));
}

}  // namespace

Inferred InferFft(RuleContext& op) {
  if (!op.NeedArray(0)) return std::nullopt;
  const Dims lengths = op.ints(AttrKey::k_fft_length);
  if (lengths.empty() || lengths.size() > 3 || lengths.size() > op.dims(0).size()) {
    return op.Fail(Rule::kFftLength, "fft_length=", ListText(lengths), " of ", op.OperandText(0));
  }
  const std::string_view type = op.text_or(AttrKey::k_fft_type);
  if (type == "RFFT") return InferRealFft(op, lengths);
  if (!IsComplex(op.type(0))) {
    return op.Fail(Rule::kFftType, type, " takes complex numbers, not ", op.OperandText(0));
  }
  if (type == "IRFFT") return InferInverseRealFft(op, lengths);
  return ShapeValue::Same(op.operand(0));
}

Inferred InferTriangularSolve(RuleContext& op) {
  if (!op.NeedArrays() || !NeedFloats(op) || !NeedSquare(op)) return std::nullopt;
  const Dims a = op.dims(0);
  const Dims b = op.dims(1);
  const bool left = op.bool_or(AttrKey::k_left_side, false);
  bool ok = op.type(0) == op.type(1) && a.size() == b.size();
  if (ok) {
    ok = SameSize(a[a.size() - 1], b[b.size() - (left ? 2 : 1)]) &&
         std::equal(a.begin(), a.end() - 2, b.begin());
  }
  if (!ok) {
    return op.Fail(Rule::kTriangularSolveOperands, op.OperandText(0), left ? " on the left" : "",
                   " does not go with ", op.OperandText(1));
  }
  return ShapeValue::Same(op.operand(1));
}

Inferred InferCholesky(RuleContext& op) {
  if (!op.NeedArrays() || !NeedFloats(op) || !NeedSquare(op)) return std::nullopt;
  return ShapeValue::Same(op.operand(0));
}

Inferred InferBatchNormTraining(RuleContext& op) {
  if (!op.NeedArrays()) return std::nullopt;
  const auto features = Features(op);
  if (!features || !NeedFeatures(op, 3, *features)) return std::nullopt;
  return WithFeatures(op, *features);
}

Inferred InferBatchNormInference(RuleContext& op) {
  if (!op.NeedArrays()) return std::nullopt;
  const auto features = Features(op);
  if (!features || !NeedFeatures(op, 5, *features)) return std::nullopt;
  return ShapeValue::Same(op.operand(0));
}

Inferred InferBatchNormGrad(RuleContext& op) {
  if (!op.NeedArrays()) return std::nullopt;
  const auto features = Features(op);
  if (!features || !NeedFeatures(op, 4, *features)) return std::nullopt;
  if (!SameShape(op.shapes(), op.operand(4), op.operand(0), Precision::kAnyFloat)) {
    return op.Fail(Rule::kBatchNormGradient, "the gradient is ", op.OperandText(4),
                   ", the operand ", op.OperandText(0));
  }
  return WithFeatures(op, *features);
}

}  // namespace halo
