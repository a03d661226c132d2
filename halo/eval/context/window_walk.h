// Where a sliding window lies on an array: for each place of the window and each position inside it
// the element of the array that it sees, or none where that is padding or a hole of dilation.
#ifndef HALO_EVAL_CONTEXT_WINDOW_WALK_H_
#define HALO_EVAL_CONTEXT_WINDOW_WALK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halo/eval/lanes/array.h"
#include "halo/ir/attributes/window.h"

namespace halo {

// How many places a window has along one dimension of so many elements.
int64_t WindowPlaces(const WindowDim& window, int64_t elements);

// The element that a window placed so far from the array's first dilated element sees at one of its
// positions; -1 for padding and holes.
int64_t WindowElement(const WindowDim& window, int64_t start, int64_t position, int64_t elements);
// Where the window begins at its n-th place.
int64_t WindowStart(const WindowDim& window, int64_t place);

// The dimensions of what a window of an op slides over `operand`: `declared` ones if the operand
// has its declared dimensions, else counted anew.
Dims WindowResultDims(const Window& window, std::span<const int64_t> operand,
                      std::span<const int64_t> declared_operand,
                      std::span<const int64_t> declared_result);

class WindowWalk {
 public:
  // A block of up to kBlock places, each a lane.
  WindowWalk(const Window& window, std::span<const int64_t> operand,
             std::span<const int64_t> places);

  // Turns to the places first, first + 1, ... (row-major).
  void SetPlaces(int64_t first, size_t n);
  // Puts the window's position back to its first; Next goes on in row-major order.
  void Rewind();
  bool Next();
  // The lanes that see an element at the present position, and which.
  void Look(std::vector<int64_t>& lanes, std::vector<int64_t>& offsets) const;

 private:
  struct Axis {
    WindowDim window;
    int64_t elements;
    int64_t stride;  // of the operand
    size_t dim;
  };

  Dims places_;
  std::vector<Axis> axes_;      // those along which the window is more than a point
  Dims plain_strides_;          // of the others; zero for the axes above
  Dims sizes_, position_;       // of the window along the axes
  std::vector<int64_t> start_;  // [lane][axis]: where the window begins, in dilated elements
  std::vector<int64_t> base_;   // [lane]: offset along the others
};

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_WINDOW_WALK_H_
