// scatter: each index vector selects a window of the operands, and the window of the updates is
// combined into it, one vector after the other. A window that is not entirely inside is skipped.
#include <algorithm>
#include <utility>
#include <vector>

#include "halo/base/containers/contains.h"
#include "halo/eval/context/converted.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/run_time_dims.h"
#include "halo/eval/context/scalar_function.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/eval/lanes/lane_offsets.h"
#include "halo/eval/ops/index_vectors.h"

namespace halo {

namespace {

class Scatterer {
 public:
  explicit Scatterer(OpContext& cx)
      : cx_(cx),
        count_((cx.operands.size() - 1) / 2),
        function_(cx, cx.computation()),
        vectors_(cx.array(count_), cx.integer(AttrKey::k_index_vector_dim, 0),
                 cx.ints(AttrKey::k_scatter_dims_to_operand_dims),
                 cx.ints(AttrKey::k_input_batching_dims),
                 cx.ints(AttrKey::k_scatter_indices_batching_dims), cx.array(0).rank()) {
    MapDimensions();
  }

  Result<Value> Run() {
    if (auto error = DemandSameDims(cx_, 0, count_)) return *std::move(error);
    if (auto error = DemandSameDims(cx_, count_ + 1, count_)) return *std::move(error);
    if (auto error = DemandSameDims(cx_, batch_, vectors_.batch())) return *std::move(error);
    for (size_t k = 0; k < count_; ++k) results_.push_back(std::move(cx_.operand(k).array()));
    dims_.assign(results_[0].dims().begin(), results_[0].dims().end());
    const ElementType type = results_[0].type();
    sums_ = function_.is_float_add() && count_ == 1;
    if (update(0).count() > 0) {
      if (sums_) {
        // Sums stay in double until the end.
        if (auto over = cx_.CheckBudget(results_[0].count() * 8)) return *std::move(over);
        results_[0] = Converted(cx_, results_[0], ElementType::kF64);
      }
      if (auto error = ScatterAll()) return *std::move(error);
      if (sums_) results_[0] = Converted(cx_, results_[0], type);
    }
    if (!cx_.module.shapes.is_tuple(cx_.shape())) return Value(std::move(results_[0]));
    return Value::Tuple({results_.begin(), results_.end()});
  }

 private:
  [[nodiscard]] const Array& update(size_t k) const { return cx_.array(count_ + 1 + k); }

  // Maps dimensions of the updates to dimensions of the operand.
  void MapDimensions() {
    const Array& operand = cx_.array(0);
    const std::span<const int64_t> window_dims = cx_.ints(AttrKey::k_update_window_dims);
    operand_strides_ = RowMajorStrides(operand.dims());
    const Dims strides = RowMajorStrides(update(0).dims());
    window_.assign(operand.rank(), 1);
    window_strides_.assign(operand.rank(), 0);
    size_t next = 0;
    for (size_t i = 0; i < operand.rank() && next < window_dims.size(); ++i) {
      if (Contains(cx_.ints(AttrKey::k_inserted_window_dims), i) ||
          Contains(cx_.ints(AttrKey::k_input_batching_dims), i)) {
        continue;
      }
      const size_t dim = static_cast<size_t>(window_dims[next++]);
      window_[i] = update(0).dim(dim);
      window_strides_[i] = strides[dim];
    }
    for (size_t i = 0; i < update(0).rank(); ++i) {
      if (Contains(window_dims, i)) continue;
      batch_strides_.push_back(strides[i]);
      batch_.push_back(update(0).dim(i));
    }
  }

  std::optional<Diagnostic> ScatterAll() {
    do {
      const std::span<const int64_t> start = vectors_.start();
      int64_t to = 0;
      bool inside = true;
      for (size_t i = 0; i < dims_.size() && inside; ++i) {
        inside = start[i] >= 0 && start[i] <= dims_[i] - window_[i];
        if (inside) to += start[i] * operand_strides_[i];
      }
      if (!inside) continue;
      int64_t from = 0;
      for (size_t i = 0; i < batch_strides_.size(); ++i) {
        from += vectors_.index()[i] * batch_strides_[i];
      }
      if (auto error = ScatterWindow(to, from)) return error;
    } while (vectors_.Next());
    return std::nullopt;
  }

  std::optional<Diagnostic> ScatterWindow(int64_t to, int64_t from) {
    if (count_ == 1 && function_.forwards() == 1 && update(0).type() == results_[0].type()) {
      const size_t bytes = results_[0].element_bytes();
      StridedCopy(bytes, window_, update(0).bytes() + static_cast<size_t>(from) * bytes,
                  window_strides_, results_[0].MutableBytes() + static_cast<size_t>(to) * bytes,
                  operand_strides_);
      return cx_.Spend(ElementsIn(window_));
    }
    Dims index(window_.size(), 0);
    bool more = true;
    while (more) {
      targets_.clear();
      sources_.clear();
      while (more && targets_.size() < kBlock) {
        int64_t target = to;
        int64_t source = from;
        for (size_t i = 0; i < index.size(); ++i) {
          target += index[i] * operand_strides_[i];
          source += index[i] * window_strides_[i];
        }
        targets_.push_back(target);
        sources_.push_back(source);
        more = NextIndex(window_, index);
      }
      if (auto error = Combine()) return error;
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> Combine() {
    const size_t n = targets_.size();
    blocks_.resize(2 * count_);
    if (sums_) {
      GatherLanes(update(0), sources_, ElementType::kF64, blocks_[0].bytes);
      const std::span<double> sums = results_[0].Mutable<double>();
      const double* added = blocks_[0].as<double>();
      for (size_t i = 0; i < n; ++i) sums[static_cast<size_t>(targets_[i])] += added[i];
      return cx_.Spend(static_cast<int64_t>(n));
    }
    std::vector<const void*> arguments;
    std::vector<void*> combined;
    const std::span<const ElementType> types = function_.parameter_types();
    for (size_t k = 0; k < 2 * count_; ++k) {
      if (k < count_) {
        GatherLanes(results_[k], targets_, types[k], blocks_[k].bytes);
        combined.push_back(blocks_[k].bytes);
      } else {
        GatherLanes(update(k - count_), sources_, types[k], blocks_[k].bytes);
      }
      arguments.push_back(blocks_[k].bytes);
    }
    if (auto error = function_.Run(arguments, combined, n)) return error;
    for (size_t k = 0; k < count_; ++k) ScatterLanes(blocks_[k].bytes, targets_, results_[k]);
    return std::nullopt;
  }

  OpContext& cx_;
  size_t count_;
  ScalarFunction function_;
  IndexVectors vectors_;
  bool sums_ = false;
  Dims dims_, window_;
  Dims operand_strides_, window_strides_;
  Dims batch_, batch_strides_;  // of the updates
  std::vector<Array> results_;
  std::vector<LaneBlock> blocks_;
  std::vector<int64_t> targets_, sources_;
};

}  // namespace

Result<Value> EvalScatter(OpContext& cx) { return Scatterer(cx).Run(); }

}  // namespace halo
