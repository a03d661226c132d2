// Splits ops that are better computed as several: batch normalisation becomes sums and elementwise
// ops, in f64 and in the order of halo/eval/ops/batch_norm.cc, so that results stay bit-identical.
#include <charconv>
#include <vector>

#include "halo/eval/lanes/lanes.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// Builds the f64 expressions of one batch-norm op.
class BatchNorm {
 public:
  BatchNorm(ModuleEditor& edit, InstId id, CompId sum)
      : edit_(edit), id_(id), sum_(sum), comp_(edit.inst(id).parent) {
    const ShapeTable& shapes = edit.module().shapes;
    const ShapeId whole = edit.inst(edit.operand(id, 0)).shape;
    dims_.assign(shapes.dims(whole).begin(), shapes.dims(whole).end());
    order_ = MinorToMajor(shapes, whole);
    feature_ = edit.module().IntOr(edit.inst(id).attrs, AttrKey::k_feature_index, 0);
    features_ = dims_[static_cast<size_t>(feature_)];
    int64_t count = 1;
    for (const int64_t dim : dims_) count *= dim;
    per_feature_ = features_ == 0 ? 0.0 : static_cast<double>(count / features_);
    const std::string_view text = edit.module().TextOr(edit.inst(id).attrs, AttrKey::k_epsilon);
    std::from_chars(text.data(), text.data() + text.size(), epsilon_);
  }

  [[nodiscard]] bool empty() const { return per_feature_ == 0.0; }

  // x, scale, offset -> normalised, mean, variance.
  InstId Training() {
    const InstId x = Wide(0);
    const InstId mean = Divide(Sum(x), PerFeature(per_feature_));
    const InstId centred = Subtract(x, Spread(mean));
    const InstId variance = Divide(Sum(Multiply(centred, centred)), PerFeature(per_feature_));
    return Tuple({Scaled(centred, variance, Wide(1), Wide(2)), mean, variance});
  }

  // x, scale, offset, mean, variance -> normalised.
  InstId Inference() {
    const InstId centred = Subtract(Wide(0), Spread(Wide(3)));
    return Narrow(Scaled(centred, Wide(4), Wide(1), Wide(2)), edit_.inst(id_).shape);
  }

  // x, scale, mean, variance, gradient -> gradients of x, scale, offset.
  InstId Grad() {
    const InstId centred = Subtract(Wide(0), Spread(Wide(2)));
    const InstId variance = Wide(3);
    const InstId grad = Wide(4);
    const InstId products = Sum(Multiply(grad, centred));
    const InstId total = Sum(grad);
    const InstId inverse = InverseDeviation(variance);
    const InstId spread =
        Divide(Multiply(Spread(products), centred), Spread(Add(variance, PerFeature(epsilon_))));
    const InstId factor = Divide(Multiply(Wide(1), inverse), PerFeature(per_feature_));
    const InstId inner =
        Subtract(Subtract(Multiply(Spread(PerFeature(per_feature_)), grad), Spread(total)), spread);
    return Tuple({Multiply(Spread(factor), inner), Multiply(products, inverse), total});
  }

 private:
  ShapeId Whole() { return DenseShape(edit_.tables().shapes, ElementType::kF64, dims_, order_); }
  ShapeId Vector() { return DenseShape(edit_.tables().shapes, ElementType::kF64, {&features_, 1}); }

  InstId Wide(size_t operand) {
    const InstId narrow = edit_.operand(id_, operand);
    const bool whole =
        edit_.module().shapes.dims(edit_.inst(narrow).shape).size() != 1 || dims_.size() == 1;
    return edit_.Add(comp_, Opcode::kConvert, whole ? Whole() : Vector(), {narrow}, {}, id_);
  }
  InstId Narrow(InstId wide, ShapeId shape) {
    return edit_.Add(comp_, Opcode::kConvert, shape, {wide}, {}, id_);
  }
  InstId Binary(Opcode opcode, InstId a, InstId b) {
    return edit_.Add(comp_, opcode, edit_.inst(a).shape, {a, b}, {}, id_);
  }
  InstId Add(InstId a, InstId b) { return Binary(Opcode::kAdd, a, b); }
  InstId Subtract(InstId a, InstId b) { return Binary(Opcode::kSubtract, a, b); }
  InstId Multiply(InstId a, InstId b) { return Binary(Opcode::kMultiply, a, b); }
  InstId Divide(InstId a, InstId b) { return Binary(Opcode::kDivide, a, b); }

  InstId Scalar(double value) {
    const ShapeId shape = DenseShape(edit_.tables().shapes, ElementType::kF64, {});
    uint8_t bits[8];
    StoreFloat(ElementType::kF64, value, bits);
    return edit_.AddConstant(comp_, shape, bits, id_);
  }
  InstId PerFeature(double value) {
    const Attr dims = edit_.tables().MakeInts(AttrKey::k_dimensions, {});
    return edit_.Add(comp_, Opcode::kBroadcast, Vector(), {Scalar(value)}, {&dims, 1}, id_);
  }
  InstId Spread(InstId vector) {
    const Attr dims = edit_.tables().MakeInts(AttrKey::k_dimensions, {&feature_, 1});
    return edit_.Add(comp_, Opcode::kBroadcast, Whole(), {vector}, {&dims, 1}, id_);
  }
  InstId Sum(InstId whole) {
    std::vector<int64_t> others;
    for (int64_t i = 0; i < static_cast<int64_t>(dims_.size()); ++i) {
      if (i != feature_) others.push_back(i);
    }
    const Attr attrs[] = {edit_.tables().MakeInts(AttrKey::k_dimensions, others),
                          {AttrKey::k_to_apply, AttrForm::kPlain, 0, sum_.value}};
    return edit_.Add(comp_, Opcode::kReduce, Vector(), {whole, Scalar(0.0)}, attrs, id_);
  }
  InstId InverseDeviation(InstId variance) {
    const InstId root =
        edit_.Add(comp_, Opcode::kSqrt, Vector(), {Add(variance, PerFeature(epsilon_))}, {}, id_);
    return Divide(PerFeature(1.0), root);
  }
  InstId Scaled(InstId centred, InstId variance, InstId scale, InstId offset) {
    const InstId normal = Multiply(centred, Spread(InverseDeviation(variance)));
    return edit_.Add(comp_, Opcode::kAdd, Whole(),
                     {Multiply(normal, Spread(scale)), Spread(offset)}, {}, id_);
  }
  InstId Tuple(std::initializer_list<InstId> wide) {
    std::vector<InstId> parts;
    size_t i = 0;
    for (const InstId each : wide) {
      const ShapeId shape = edit_.module().shapes.elements(edit_.inst(id_).shape)[i++];
      parts.push_back(Narrow(each, shape));
    }
    return edit_.AddTuple(comp_, parts, id_);
  }

  ModuleEditor& edit_;
  InstId id_;
  CompId sum_, comp_;
  std::vector<int64_t> dims_, order_;
  int64_t feature_ = 0, features_ = 0;
  double per_feature_ = 0;
  float epsilon_ = 0;
};

bool IsBatchNorm(Opcode opcode) {
  return opcode == Opcode::kBatchNormTraining || opcode == Opcode::kBatchNormInference ||
         opcode == Opcode::kBatchNormGrad;
}

CompId AddSum(ModuleEditor& edit) {
  const CompId comp = edit.AddComputation("add_f64");
  const ShapeId shape = DenseShape(edit.tables().shapes, ElementType::kF64, {});
  const InstId a = edit.AddParameter(comp, 0, shape, "sum");
  const InstId b = edit.AddParameter(comp, 1, shape, "value");
  edit.SetRoot(comp, edit.Add(comp, Opcode::kAdd, shape, {a, b}));
  return comp;
}

}  // namespace

bool Decompose(Module& module, PassLog& log) {
  bool any = false;
  for (const Inst& inst : module.insts) any = any || IsBatchNorm(inst.opcode);
  if (!any) return false;
  ModuleEditor edit(std::move(module));
  const CompId sum = AddSum(edit);
  const size_t count = edit.module().insts.size();
  for (size_t i = 0; i < count; ++i) {
    const InstId id(i);
    const Opcode opcode = edit.inst(id).opcode;
    if (!IsBatchNorm(opcode)) continue;
    BatchNorm norm(edit, id, sum);
    if (norm.empty()) continue;
    log.Note("%", edit.module().name_of(edit.inst(id)), " becomes sums and elementwise ops");
    edit.Replace(id, opcode == Opcode::kBatchNormTraining    ? norm.Training()
                     : opcode == Opcode::kBatchNormInference ? norm.Inference()
                                                             : norm.Grad());
  }
  module = edit.Finish();
  return true;
}

}  // namespace halo
