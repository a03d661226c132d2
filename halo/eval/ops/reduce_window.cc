// reduce-window: each element of the result is the fold of its window's elements, in row-major
// order, into the initial value. Padding and dilation holes are not folded at all.
#include <algorithm>
#include <utility>
#include <vector>

#include "halo/eval/context/ops.h"
#include "halo/eval/context/run_time_dims.h"
#include "halo/eval/context/scalar_function.h"
#include "halo/eval/context/window_walk.h"
#include "halo/eval/lanes/lane_convert.h"
#include "halo/eval/lanes/lane_offsets.h"

namespace halo {

namespace {

class WindowReducer {
 public:
  WindowReducer(const OpContext& cx, const Window& window)
      : cx_(cx),
        count_(cx.operands.size() / 2),
        function_(cx, cx.computation()),
        placements_(WindowResultDims(window, cx.array(0).dims(),
                                     cx.module.shapes.dims(cx.operand_shape(0)),
                                     cx.module.shapes.dims(PartShape(0)))),
        walk_(window, cx.array(0).dims(), placements_),
        total_(count_),
        seen_(count_),
        partial_(count_) {
    for (size_t k = 0; k < count_; ++k) {
      arguments_.push_back(partial_[k].bytes);
      folded_.push_back(partial_[k].bytes);
    }
    for (size_t k = 0; k < count_; ++k) arguments_.push_back(seen_[k].bytes);
  }

  Result<Value> Run() {
    std::vector<Array> results;
    for (size_t k = 0; k < count_; ++k) {
      results.push_back(cx_.Make(cx_.module.shapes.type(PartShape(k)), placements_));
    }
    const int64_t elements = results[0].count();
    for (int64_t first = 0; first < elements; first += kBlock) {
      const size_t n = static_cast<size_t>(std::min<int64_t>(kBlock, elements - first));
      if (auto error = Block(first, n)) return *std::move(error);
      for (size_t k = 0; k < count_; ++k) {
        Array& result = results[k];
        if (TypeOf(k) != result.type()) {
          ConvertLanes(TypeOf(k), result.type(), total_[k].bytes, total_[k].bytes, n);
        }
        StoreLanes(result.type(), total_[k].bytes, n,
                   result.MutableBytes() + static_cast<size_t>(first) * result.element_bytes());
      }
    }
    if (!cx_.module.shapes.is_tuple(cx_.shape())) return Value(std::move(results[0]));
    return Value::Tuple({results.begin(), results.end()});
  }

 private:
  [[nodiscard]] ShapeId PartShape(size_t k) const { return cx_.shape(k); }
  // The type of the folded values.
  [[nodiscard]] ElementType TypeOf(size_t k) const { return function_.parameter_types()[k]; }

  std::optional<Diagnostic> Block(int64_t first, size_t n) {
    walk_.SetPlacements(first, n);
    walk_.Rewind();
    for (size_t k = 0; k < count_; ++k) {
      const std::vector<int64_t> zeros(n, 0);
      GatherLanes(cx_.array(count_ + k), zeros, TypeOf(k), total_[k].bytes);
    }
    do {
      walk_.Visit(lanes_, offsets_);
      if (lanes_.empty()) {
        if (auto over = cx_.Spend(1)) return over;
        continue;
      }
      for (size_t k = 0; k < count_; ++k) {
        GatherLanes(cx_.array(k), offsets_, TypeOf(k), seen_[k].bytes);
      }
      if (auto error = Fold()) return error;
    } while (walk_.Next());
    return std::nullopt;
  }

  std::optional<Diagnostic> Fold() {
    if (function_.is_float_add()) {
      const double* seen = seen_[0].as<double>();
      double* total = total_[0].as<double>();
      for (size_t i = 0; i < lanes_.size(); ++i) total[lanes_[i]] += seen[i];
      return cx_.Spend(static_cast<int64_t>(lanes_.size()));
    }
    for (size_t k = 0; k < count_; ++k) {
      Move(k, [](uint8_t* total, uint8_t* partial, size_t size) {
        std::copy_n(total, size, partial);
      });
    }
    if (auto error = function_.Run(arguments_, folded_, lanes_.size())) return error;
    for (size_t k = 0; k < count_; ++k) {
      Move(k, [](uint8_t* total, uint8_t* partial, size_t size) {
        std::copy_n(partial, size, total);
      });
    }
    return std::nullopt;
  }

  // Pairs the totals of the lanes in use with consecutive lanes of the block that is folded.
  template <class Copy>
  void Move(size_t k, const Copy& copy) {
    const size_t size = LaneSize(LaneKindOf(TypeOf(k)));
    for (size_t i = 0; i < lanes_.size(); ++i) {
      copy(total_[k].bytes + static_cast<size_t>(lanes_[i]) * size, partial_[k].bytes + i * size,
           size);
    }
  }

  const OpContext& cx_;
  size_t count_;
  ScalarFunction function_;
  Dims placements_;
  WindowWalk walk_;
  std::vector<LaneBlock> total_, seen_, partial_;
  std::vector<const void*> arguments_;
  std::vector<void*> folded_;
  std::vector<int64_t> lanes_, offsets_;
};

}  // namespace

Result<Value> EvalReduceWindow(OpContext& cx) {
  if (auto error = DemandSameDims(cx, 0, cx.operands.size() / 2)) return *std::move(error);
  return WindowReducer(cx, DecodeWindow(cx.ints(AttrKey::k_window))).Run();
}

}  // namespace halo
