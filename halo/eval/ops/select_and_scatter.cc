// select-and-scatter: selects one element in each window of the operand and scatters the window's
// source value to that element's position in the result. Padding is never selected; a window that
// is all padding drops its value.
#include <algorithm>
#include <utility>
#include <vector>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/scalar_function.h"
#include "halo/eval/context/window_walk.h"
#include "halo/eval/lanes/lane_offsets.h"

namespace halo {

namespace {

// Finds the offset of the element that each of the window placements first, first + 1, ... selects;
// -1 for none.
class Selector {
 public:
  Selector(const OpContext& cx, const Window& window)
      : operand_(cx.array(0)),
        select_(cx, cx.computation(AttrKey::k_select)),
        walk_(window, cx.array(0).dims(), cx.array(1).dims()) {}

  std::optional<Diagnostic> Select(int64_t first, size_t n, std::vector<int64_t>& selected) {
    selected.assign(n, -1);
    walk_.SetPlacements(first, n);
    walk_.Rewind();
    do {
      walk_.Visit(lanes_, offsets_);
      rivals_.clear();
      held_.clear();
      placements_.clear();
      for (size_t i = 0; i < lanes_.size(); ++i) {
        int64_t& offset = selected[static_cast<size_t>(lanes_[i])];
        if (offset < 0) {
          offset = offsets_[i];
          continue;
        }
        held_.push_back(offset);
        rivals_.push_back(offsets_[i]);
        placements_.push_back(lanes_[i]);
      }
      if (auto error = Duel(selected)) return error;
    } while (walk_.Next());
    return std::nullopt;
  }

 private:
  std::optional<Diagnostic> Duel(std::vector<int64_t>& selected) {
    if (held_.empty()) return std::nullopt;
    GatherLanes(operand_, held_, select_.parameter_types()[0], left_.bytes);
    GatherLanes(operand_, rivals_, select_.parameter_types()[1], right_.bytes);
    const void* arguments[] = {left_.bytes, right_.bytes};
    void* result[] = {keep_.bytes};
    if (auto error = select_.Run(arguments, result, held_.size())) return error;
    const uint64_t* keep = keep_.as<uint64_t>();
    for (size_t i = 0; i < held_.size(); ++i) {
      if (keep[i] == 0) selected[static_cast<size_t>(placements_[i])] = rivals_[i];
    }
    return std::nullopt;
  }

  const Array& operand_;
  ScalarFunction select_;
  WindowWalk walk_;
  LaneBlock left_, right_, keep_;
  std::vector<int64_t> lanes_, offsets_, held_, rivals_, placements_;
};

}  // namespace

Result<Value> EvalSelectAndScatter(OpContext& cx) {
  const Array& source = cx.array(1);
  ScalarFunction scatter(cx, cx.computation(AttrKey::k_scatter));
  Selector selector(cx, DecodeWindow(cx.ints(AttrKey::k_window)));
  const bool sums = scatter.is_float_add();
  const ElementType type = cx.type();
  const int64_t elements = cx.array(0).count();
  if (auto over = cx.CheckBudget(elements * 8)) return *std::move(over);
  // Sums stay in double until the end.
  Array result = cx.Make(sums ? ElementType::kF64 : type, cx.array(0).dims());
  LaneBlock value;
  // Programs of mixed precision may start from a narrower or wider value.
  const Array initial = Converted(cx, cx.array(2), type);
  LoadLanes(type, initial.bytes(), 1, 1, value.bytes);
  for (int64_t i = 0; i < elements; ++i) {
    StoreLanes(result.type(), value.bytes, 1,
               result.MutableBytes() + static_cast<size_t>(i) * result.element_bytes());
  }
  std::vector<int64_t> selected;
  LaneBlock brought;
  for (int64_t first = 0; first < source.count(); first += kBlock) {
    const size_t n = static_cast<size_t>(std::min<int64_t>(kBlock, source.count() - first));
    if (auto error = selector.Select(first, n, selected)) return *std::move(error);
    LoadLanes(source.type(), source.bytes() + static_cast<size_t>(first) * source.element_bytes(),
              1, n, brought.bytes);
    const size_t lane = LaneSize(LaneKindOf(source.type()));
    for (size_t i = 0; i < n; ++i) {
      if (selected[i] < 0) continue;
      if (sums) {
        result.Mutable<double>()[static_cast<size_t>(selected[i])] += brought.as<double>()[i];
        continue;
      }
      const std::span<const int64_t> at(&selected[i], 1);
      GatherLanes(result, at, type, value.bytes);
      const void* arguments[] = {value.bytes, brought.bytes + i * lane};
      void* folded[] = {value.bytes};
      if (auto error = scatter.Run(arguments, folded, 1)) return *std::move(error);
      ScatterLanes(value.bytes, at, result);
    }
  }
  return Value(Converted(cx, result, type));
}

}  // namespace halo
