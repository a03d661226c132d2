// batch-norm-training, -inference and -grad: statistics over all dimensions but the feature
// dimension, and the results derived from them, computed in double and rounded at the end.
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/run_time_dims.h"

namespace halo {

namespace {

class BatchNorm {
 public:
  explicit BatchNorm(OpContext& cx) : cx_(cx), type_(cx.array(0).type()) {
    const Array& operand = cx.array(0);
    const auto feature = static_cast<size_t>(cx.integer(AttrKey::k_feature_index, 0));
    features_ = operand.dim(feature);
    for (size_t i = feature + 1; i < operand.rank(); ++i) inner_ *= operand.dim(i);
    count_ = operand.count();
    per_feature_ = features_ == 0 ? 0.0 : static_cast<double>(count_ / features_);
    // The attribute is an f32.
    float epsilon = 0;
    const std::string_view text = cx.text(AttrKey::k_epsilon);
    std::from_chars(text.data(), text.data() + text.size(), epsilon);
    epsilon_ = epsilon;
  }

  [[nodiscard]] std::optional<Diagnostic> Prepare() const {
    for (size_t i = 1; i < cx_.operands.size(); ++i) {
      const bool whole = i == 4 && cx_.opcode == Opcode::kBatchNormGrad;
      const auto dims = whole ? cx_.array(0).dims() : std::span<const int64_t>(&features_, 1);
      if (auto error = DemandSameDims(cx_, dims, cx_.array(i).dims())) return error;
    }
    if (auto over = cx_.CheckBudget(count_ * 8 * 3)) return over;
    return cx_.Spend(count_ * 4);
  }
  [[nodiscard]] Array Wide(size_t i) const {
    return Converted(cx_, cx_.array(i), ElementType::kF64);
  }
  [[nodiscard]] Array Narrow(const Array& wide) const { return Converted(cx_, wide, type_); }
  [[nodiscard]] Array PerFeature() const {
    return cx_.Make(ElementType::kF64, std::span(&features_, 1));
  }
  [[nodiscard]] Array PerElement() const {
    return cx_.Make(ElementType::kF64, cx_.array(0).dims());
  }
  // Calls visit(element, feature) for every element.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (int64_t i = 0; i < count_; ++i) {
      visit(static_cast<size_t>(i), static_cast<size_t>(i / inner_ % features_));
    }
  }
  [[nodiscard]] double InverseDeviation(double variance) const {
    return 1 / std::sqrt(variance + epsilon_);
  }
  [[nodiscard]] double epsilon() const { return epsilon_; }
  [[nodiscard]] double per_feature() const { return per_feature_; }

 private:
  const OpContext& cx_;
  ElementType type_;
  int64_t features_ = 0, inner_ = 1, count_ = 0;
  double per_feature_ = 0, epsilon_ = 0;
};

}  // namespace

Result<Value> EvalBatchNormTraining(OpContext& cx) {
  const BatchNorm norm(cx);
  if (auto error = norm.Prepare()) return *std::move(error);
  Array result = norm.Wide(0);
  Array mean = norm.PerFeature();
  Array variance = norm.PerFeature();
  const Array wide_scale = norm.Wide(1);
  const Array wide_offset = norm.Wide(2);
  const auto scale = wide_scale.as<double>();
  const auto offset = wide_offset.as<double>();
  const auto x = result.Mutable<double>();
  const auto m = mean.Mutable<double>();
  const auto v = variance.Mutable<double>();
  norm.ForEach([&](size_t i, size_t f) { m[f] += x[i]; });
  for (double& value : m) value /= norm.per_feature();
  norm.ForEach([&](size_t i, size_t f) { v[f] += (x[i] - m[f]) * (x[i] - m[f]); });
  for (double& value : v) value /= norm.per_feature();
  norm.ForEach([&](size_t i, size_t f) {
    x[i] = (x[i] - m[f]) * norm.InverseDeviation(v[f]) * scale[f] + offset[f];
  });
  return Value::Tuple({norm.Narrow(result), norm.Narrow(mean), norm.Narrow(variance)});
}

Result<Value> EvalBatchNormInference(OpContext& cx) {
  const BatchNorm norm(cx);
  if (auto error = norm.Prepare()) return *std::move(error);
  Array result = norm.Wide(0);
  std::vector<Array> wide;
  for (size_t i = 1; i < 5; ++i) wide.push_back(norm.Wide(i));
  const auto scale = wide[0].as<double>();
  const auto offset = wide[1].as<double>();
  const auto mean = wide[2].as<double>();
  const auto variance = wide[3].as<double>();
  const auto x = result.Mutable<double>();
  norm.ForEach([&](size_t i, size_t f) {
    x[i] = (x[i] - mean[f]) * norm.InverseDeviation(variance[f]) * scale[f] + offset[f];
  });
  return Value(norm.Narrow(result));
}

Result<Value> EvalBatchNormGrad(OpContext& cx) {
  const BatchNorm norm(cx);
  if (auto error = norm.Prepare()) return *std::move(error);
  const Array operand = norm.Wide(0);
  std::vector<Array> wide;
  for (size_t i = 1; i < 4; ++i) wide.push_back(norm.Wide(i));
  Array result = norm.Wide(4);
  Array scale_grad = norm.PerFeature();
  Array offset_grad = norm.PerFeature();
  const auto x = operand.as<double>();
  const auto scale = wide[0].as<double>();
  const auto mean = wide[1].as<double>();
  const auto variance = wide[2].as<double>();
  const auto grad = result.Mutable<double>();
  const auto centred = scale_grad.Mutable<double>();  // sum of grad (x - mean) until the end
  const auto total = offset_grad.Mutable<double>();
  norm.ForEach([&](size_t i, size_t f) {
    centred[f] += grad[i] * (x[i] - mean[f]);
    total[f] += grad[i];
  });
  const double n = norm.per_feature();
  norm.ForEach([&](size_t i, size_t f) {
    const double spread = centred[f] * (x[i] - mean[f]) / (variance[f] + norm.epsilon());
    grad[i] = scale[f] * norm.InverseDeviation(variance[f]) / n * (n * grad[i] - total[f] - spread);
  });
  for (size_t f = 0; f < centred.size(); ++f) centred[f] *= norm.InverseDeviation(variance[f]);
  return Value::Tuple({norm.Narrow(result), norm.Narrow(scale_grad), norm.Narrow(offset_grad)});
}

}  // namespace halo
