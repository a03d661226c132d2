// Splits a loop nest into boxes in which every concatenate reads one operand and every pad is
// inside or outside, so that the innermost loops have no conditions and are vectorized at every
// level. JoinLoops finds where to split; what is computed in a box is decided by the caller.
#ifndef HALO_CODEGEN_FORMS_LOOP_BOXES_H_
#define HALO_CODEGEN_FORMS_LOOP_BOXES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "halo/codegen/forms/loop_nest.h"

namespace halo {

// A part of a dimension.
struct Segment {
  int64_t begin = 0;
  int64_t size = 0;
};

class LoopBoxes {
 public:
  // Splits dimensions as long as the code remains small; not at all if nothing can be gained.
  // `streamed`: the results are collected in blocks (StreamOut), which need a variable position.
  // `most_values`: those that a kernel may compute (KernelBody).
  LoopBoxes(const LoopSpace& loops, bool streamed, int64_t most_values);

  // The segments of the innermost dimension; empty if it is not split.
  [[nodiscard]] const std::vector<Segment>& inner() const { return inner_; }
  [[nodiscard]] size_t inner_dim() const { return inner_dim_; }

  // Emits `inside` for every box of the other dimensions, each on the condition that the current
  // position is in it. `inside` gets the variables to use there.
  void EachOuter(KernelFrame& frame, const Index& variables,
                 const std::function<void(const Index& variables)>& inside) const {
    EmitOuter(frame, variables, 0, inside);
  }

 private:
  struct SplitDim {
    size_t dim;
    std::vector<Segment> segments;
  };

  void EmitOuter(KernelFrame& frame, const Index& variables, size_t next,
                 const std::function<void(const Index& variables)>& inside) const;

  std::vector<Segment> inner_;
  size_t inner_dim_ = 0;
  std::vector<SplitDim> outer_;
};

// The position in a segment as an expression with its own variable, which PlaceInSegment sets.
IndexExpr SegmentPosition(IndexSpace& space, const Segment& segment);
void PlaceInSegment(KernelFrame& frame, const Segment& segment, const IndexExpr& position,
                    llvm::Value* value);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_LOOP_BOXES_H_
