// The range of each element of a value over runs whose inputs were moved by one step. A difference
// to another program counts only if the range does not explain it: rounding moves a value by about
// as much as moving its inputs does.
#ifndef HALO_API_NUMBERS_NOISE_BOUNDS_H_
#define HALO_API_NUMBERS_NOISE_BOUNDS_H_

#include <utility>

#include "halo/eval/inputs/compare_values.h"
#include "halo/eval/lanes/array.h"

namespace halo {

class NoiseBounds {
 public:
  NoiseBounds() = default;
  // Of a run on the inputs themselves.
  explicit NoiseBounds(Array value) : value_(value), low_(value), high_(std::move(value)) {}

  // Adds a run on moved inputs. A value of other dimensions is ignored.
  void Widen(const Array& run);
  // Compares with the nearest element that the runs explain, within the tolerance.
  [[nodiscard]] ArrayComparison Compare(const Array& got, const Tolerance& tolerance) const;
  [[nodiscard]] const Array& value() const { return value_; }
  // The bounds of a part of the value, such as a shard.
  template <class Part>
  [[nodiscard]] NoiseBounds PartOf(const Part& part) const {
    NoiseBounds bounds(part(value_));
    bounds.low_ = part(low_);
    bounds.high_ = part(high_);
    return bounds;
  }

 private:
  [[nodiscard]] Array Nearest(const Array& got) const;

  Array value_, low_, high_;
};

}  // namespace halo

#endif  // HALO_API_NUMBERS_NOISE_BOUNDS_H_
