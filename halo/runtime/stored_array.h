// Between arrays as they lie in a plan's memory, in the order of their layout, and the evaluator's
// values, which are row-major.
#ifndef HALO_RUNTIME_STORED_ARRAY_H_
#define HALO_RUNTIME_STORED_ARRAY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

// Bytes of an array in memory: no gaps, elements narrower than a byte one each.
int64_t StoredArrayBytes(const ShapeTable& shapes, ShapeId shape);
// Elements from one index to the next of each dimension, as the layout says.
std::vector<int64_t> StoredStrides(const ShapeTable& shapes, ShapeId shape);
bool IsStoredRowMajor(const ShapeTable& shapes, ShapeId shape);

// Array leaves of a shape in order.
void ArrayLeaves(const ShapeTable& shapes, ShapeId shape, std::vector<ShapeId>& out);

void StoreArray(const ShapeTable& shapes, ShapeId shape, const uint8_t* row_major, uint8_t* to);
Array LoadArray(const ShapeTable& shapes, ShapeId shape, const uint8_t* from);

// A value of this shape from its leaves' memory, and back; both take their leaves off the front of
// `leaves`. False if the value does not have the shape it should.
Value LoadValue(const ShapeTable& shapes, ShapeId shape, std::span<void* const>& leaves);
bool StoreValue(const ShapeTable& shapes, ShapeId shape, const Value& value,
                std::span<void* const>& leaves);

}  // namespace halo

#endif  // HALO_RUNTIME_STORED_ARRAY_H_
