// scan: applies a computation to one slice of the inputs after the other and carries values from
// step to step. The computation takes the slices, then the carried values, and yields outputs, then
// the next carried values. Outputs are stacked along the scanned dimension.
#include <algorithm>
#include <utility>
#include <vector>

#include "halo/eval/context/box_copy.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/run_time_dims.h"

namespace halo {

namespace {

class Scan {
 public:
  explicit Scan(OpContext& cx) : cx_(cx) {
    const std::span<const int64_t> dims = cx.ints(AttrKey::k_dimensions);
    dim_ = dims.empty() ? 0 : static_cast<size_t>(dims[0]);
    const auto carried = static_cast<size_t>(std::clamp<int64_t>(
        cx.integer(AttrKey::k_num_carries, 0), 0, static_cast<int64_t>(cx.operands.size())));
    inputs_ = cx.operands.size() - carried;
    is_tuple_ = cx.module.shapes.is_tuple(cx.shape());
    outputs_ = cx.parts() - std::min(cx.parts(), carried);
    steps_ = inputs_ > 0 ? cx.array(0).dim(dim_) : 0;
    carries_.assign(cx.operands.begin() + static_cast<int64_t>(inputs_), cx.operands.end());
  }

  Result<Value> Run() {
    for (size_t i = 0; i < inputs_; ++i) {
      const int64_t length = cx_.array(i).dim(dim_);
      if (auto error = DemandSameDims(cx_, {&steps_, 1}, {&length, 1})) return *std::move(error);
    }
    for (size_t i = 0; i < outputs_; ++i) {
      const ShapeId shape = cx_.shape(i);
      Dims dims(cx_.module.shapes.dims(shape).begin(), cx_.module.shapes.dims(shape).end());
      if (inputs_ > 0) dims[dim_] = std::min(dims[dim_], steps_);
      stacked_.push_back(cx_.Make(cx_.module.shapes.type(shape), dims));
    }
    for (int64_t step = 0; step < steps_; ++step) {
      const int64_t at = cx_.flag(AttrKey::k_is_reverse) ? steps_ - 1 - step : step;
      if (auto error = Step(at)) return *std::move(error);
    }
    std::vector<Value> results(stacked_.begin(), stacked_.end());
    results.insert(results.end(), carries_.begin(), carries_.end());
    if (!is_tuple_) return std::move(results[0]);
    return Value::Tuple(std::move(results));
  }

 private:
  std::optional<Diagnostic> Step(int64_t at) {
    std::vector<Value> arguments;
    for (size_t i = 0; i < inputs_; ++i) {
      const Array& input = cx_.array(i);
      Dims starts(input.rank(), 0);
      Dims sizes(input.dims().begin(), input.dims().end());
      starts[dim_] = at;
      sizes[dim_] = 1;
      const Array slice = TakeBox(cx_, input, starts, sizes);
      sizes.erase(sizes.begin() + static_cast<int64_t>(dim_));
      arguments.emplace_back(slice.Reshaped(sizes));
    }
    arguments.insert(arguments.end(), carries_.begin(), carries_.end());
    Result<Value> called = cx_.Call(cx_.computation(), std::move(arguments));
    if (!called) return called.error();
    std::vector<Value> parts;
    if (called->is_tuple()) {
      parts = called->TakeElements();
    } else {
      parts.push_back(*std::move(called));
    }
    for (size_t i = 0; i < outputs_; ++i) {
      Array& stacked = stacked_[i];
      Dims starts(stacked.rank(), 0);
      Dims sizes(stacked.dims().begin(), stacked.dims().end());
      starts[dim_] = at;
      sizes[dim_] = 1;
      const int64_t count = ElementsIn(sizes);
      const int64_t given = parts[i].array().count();
      if (auto error = DemandSameDims(cx_, {&count, 1}, {&given, 1})) return error;
      PutBox(parts[i].array().Reshaped(sizes), starts, stacked);
    }
    for (size_t i = 0; i < carries_.size(); ++i) carries_[i] = std::move(parts[outputs_ + i]);
    return std::nullopt;
  }

  OpContext& cx_;
  size_t dim_ = 0, inputs_ = 0, outputs_ = 0;
  int64_t steps_ = 0;
  bool is_tuple_ = false;
  std::vector<Value> carries_;
  std::vector<Array> stacked_;
};

}  // namespace

Result<Value> EvalScan(OpContext& cx) { return Scan(cx).Run(); }

}  // namespace halo
