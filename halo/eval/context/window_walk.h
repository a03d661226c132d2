// Maps a sliding window to an array: for each placement of the window and each position inside it,
// the array element at that position, or none where it is padding or a dilation hole.
#ifndef HALO_EVAL_CONTEXT_WINDOW_WALK_H_
#define HALO_EVAL_CONTEXT_WINDOW_WALK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halo/eval/lanes/array.h"
#include "halo/ir/attributes/window.h"

namespace halo {

// Returns the number of window placements along one dimension of `elements` elements.
int64_t WindowPlacements(const WindowDim& window, int64_t elements);

// Returns the element at one position of a window that starts `start` dilated elements after the
// array's first element; -1 for padding and holes.
int64_t WindowElement(const WindowDim& window, int64_t start, int64_t position, int64_t elements);
// Returns where the window starts at its n-th placement.
int64_t WindowStart(const WindowDim& window, int64_t placement);

// Returns the result dimensions of an op that slides a window over `operand`: the declared ones
// where the operand has its declared dimensions, recomputed ones elsewhere.
Dims WindowResultDims(const Window& window, std::span<const int64_t> operand,
                      std::span<const int64_t> declared_operand,
                      std::span<const int64_t> declared_result);

class WindowWalk {
 public:
  // Walks a block of up to kBlock placements, one per lane.
  WindowWalk(const Window& window, std::span<const int64_t> operand,
             std::span<const int64_t> placements);

  // Selects the placements first, first + 1, ... (row-major).
  void SetPlacements(int64_t first, size_t n);
  // Resets the position inside the window to the first one; Next advances in row-major order.
  void Rewind();
  bool Next();
  // Returns the lanes that see an element at the current position, and the offsets of those
  // elements.
  void Visit(std::vector<int64_t>& lanes, std::vector<int64_t>& offsets) const;

 private:
  struct Axis {
    WindowDim window;
    int64_t elements;
    int64_t stride;  // of the operand
    size_t dim;
  };

  Dims placements_;
  std::vector<Axis> axes_;      // dimensions along which the window is not trivial
  Dims plain_strides_;          // of the other dimensions; zero for the axes above
  Dims sizes_, position_;       // of the window along the axes
  std::vector<int64_t> start_;  // [lane][axis]: start of the window, in dilated elements
  std::vector<int64_t> base_;   // [lane]: offset along the other dimensions
};

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_WINDOW_WALK_H_
