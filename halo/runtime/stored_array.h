// Converts between arrays in the memory of an executable, which follow their layout, and the
// evaluator's values, which are row-major.
#ifndef HALO_RUNTIME_STORED_ARRAY_H_
#define HALO_RUNTIME_STORED_ARRAY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

// Size of an array in memory: no gaps; elements narrower than a byte take one byte each.
int64_t StoredArrayBytes(const ShapeTable& shapes, ShapeId shape);
// For each dimension, the distance in elements from one index to the next in this layout.
std::vector<int64_t> StoredStrides(const ShapeTable& shapes, ShapeId shape);
bool IsStoredRowMajor(const ShapeTable& shapes, ShapeId shape);

// The array leaves of a shape, in order.
void ArrayLeaves(const ShapeTable& shapes, ShapeId shape, std::vector<ShapeId>& out);

void StoreArray(const ShapeTable& shapes, ShapeId shape, const uint8_t* row_major, uint8_t* to);
Array LoadArray(const ShapeTable& shapes, ShapeId shape, const uint8_t* from);

// Loads a value of this shape from the memory of its leaves, and stores one back. Both consume
// their leaves from the front of `leaves`. Storing returns false if the value does not have this
// shape.
Value LoadValue(const ShapeTable& shapes, ShapeId shape, std::span<void* const>& leaves);
bool StoreValue(const ShapeTable& shapes, ShapeId shape, const Value& value,
                std::span<void* const>& leaves);

}  // namespace halo

#endif  // HALO_RUNTIME_STORED_ARRAY_H_
