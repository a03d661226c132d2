// The matrix format for the processor's tile registers: a tile is sixteen rows of 64 bytes, and two
// consecutive tiles are a line of rows of a or of columns of b. Only for processors with tile
// registers.
#ifndef HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_TILE_PACKING_H_
#define HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_TILE_PACKING_H_

#include <cstdint>

namespace halo::tiles {

inline constexpr int64_t kRows = 16;          // of a tile
inline constexpr int64_t kLine = 64;          // bytes in each of them
inline constexpr int64_t kBlock = 2 * kRows;  // rows or columns of two tiles

// Packs elements k to k + count - 1 of some columns of b as the rows of two tiles: elements
// adjacent along k share a word. Missing elements are zero.
struct PackedFrom {
  const uint8_t* at;
  int64_t row, column;  // strides in bytes
  int64_t element;      // bytes
};
void PackTiles(const PackedFrom& from, int64_t count, int64_t columns, uint8_t* to);
// The same for full tiles with contiguous rows, of one-byte and of two-byte elements,
void PackRowsOfBytes(const uint8_t* from, int64_t row, uint8_t* to);
void PackRowsOfHalves(const uint8_t* from, int64_t row, uint8_t* to);
// and with contiguous columns.
void PackColumns(const uint8_t* from, int64_t column, uint8_t* to);

// Packs rows of a, `bytes` of each; missing elements are zero.
void PackRows(const uint8_t* from, int64_t row, int64_t rows, int64_t bytes, uint8_t* to);

}  // namespace halo::tiles

#endif  // HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_TILE_PACKING_H_
