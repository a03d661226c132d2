// Bytes that are moved to access a part of an array. Tiles move as a whole: one row of an array
// with tiles of 8 rows takes the bytes of 8.
#ifndef HALO_COST_COUNT_TOUCHED_H_
#define HALO_COST_COUNT_TOUCHED_H_

#include <cstdint>
#include <span>

#include "halo/ir/types/shape.h"

namespace halo {

// Bytes of a whole shape with its tiles' padding; 0 if it is unbounded.
double BytesOfShape(const ShapeTable& shapes, ShapeId shape);

struct TouchedBytes {
  double bytes = 0;
  bool partial_tiles = false;  // writing needs what else is in the tiles
};

// A box of these extents at an aligned position of an array; `extents` has the array's rank.
TouchedBytes BytesOfBox(const ShapeTable& shapes, ShapeId array, std::span<const int64_t> extents);

}  // namespace halo

#endif  // HALO_COST_COUNT_TOUCHED_H_
