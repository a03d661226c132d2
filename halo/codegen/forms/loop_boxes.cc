// Chooses which dimensions are split, the innermost first, and emits the conditions of the others.
#include "halo/codegen/forms/loop_boxes.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>

namespace halo {
namespace {

// Shorter inner loops gain too little from being vectorized.
constexpr int64_t kLeastInner = 16;
// The code is emitted once per box.
constexpr size_t kMostBoxes = 12;
constexpr int64_t kMostValues = 4000;

std::vector<Segment> SegmentsOf(const LoopSpace& loops, size_t dim) {
  std::vector<Segment> segments;
  int64_t begin = 0;
  for (const int64_t change : loops.changes[dim]) {
    segments.push_back({begin, change - begin});
    begin = change;
  }
  segments.push_back({begin, loops.dims[dim] - begin});
  return segments;
}

}  // namespace

LoopBoxes::LoopBoxes(const LoopSpace& loops, bool streamed, int64_t most_values) {
  const std::vector<size_t>& last = loops.groups.back();
  if (loops.changes.empty() || last.size() != 1 || loops.dims[last[0]] < kLeastInner) return;
  size_t boxes = 1;
  const auto fits = [&](size_t segments) {
    const size_t all = boxes * segments;
    if (segments == 1 || all > kMostBoxes ||
        loops.values * static_cast<int64_t>(all) > std::min(kMostValues, most_values)) {
      return false;
    }
    boxes = all;
    return true;
  };
  inner_dim_ = last[0];
  const std::vector<Segment> inner = SegmentsOf(loops, inner_dim_);
  const bool has_constant =
      std::ranges::any_of(inner, [](const Segment& each) { return each.size == 1; });
  if (!(streamed && has_constant) && fits(inner.size())) inner_ = inner;
  for (size_t g = loops.groups.size() - 1; g-- > 0;) {
    if (loops.groups[g].size() != 1) continue;
    const size_t dim = loops.groups[g][0];
    std::vector<Segment> segments = SegmentsOf(loops, dim);
    if (fits(segments.size())) outer_.push_back({dim, std::move(segments)});
  }
}

void LoopBoxes::EmitOuter(KernelFrame& frame, const Index& variables, size_t next,
                          const std::function<void(const Index& variables)>& inside) const {
  if (next == outer_.size()) return inside(variables);
  const SplitDim& split = outer_[next];
  llvm::Value* position = frame.space.Emit(frame.b, variables[split.dim]);
  for (const Segment& segment : split.segments) {
    // One unsigned comparison checks both bounds.
    llvm::Value* is_here = frame.b.CreateICmpULT(
        frame.b.CreateSub(position, frame.Number(segment.begin)), frame.Number(segment.size));
    EmitIf(frame.b, is_here, [&] {
      Index own = variables;
      own[split.dim] = SegmentPosition(frame.space, segment);
      PlaceInSegment(frame, segment, own[split.dim], position);
      EmitOuter(frame, own, next + 1, inside);
    });
  }
}

IndexExpr SegmentPosition(IndexSpace& space, const Segment& segment) {
  return space.AddConstant(space.Variable(segment.size), segment.begin);
}

void PlaceInSegment(KernelFrame& frame, const Segment& segment, const IndexExpr& position,
                    llvm::Value* value) {
  frame.space.SetValue(position, frame.b.CreateNSWSub(value, frame.Number(segment.begin)));
}

}  // namespace halo
