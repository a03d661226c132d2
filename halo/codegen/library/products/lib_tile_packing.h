// How matrices lie for the processor's tile registers: a tile is sixteen rows of 64 bytes, and two
// of them, one behind the other, are a line of rows of a or of columns of b. Only for processors
// that have tiles.
#ifndef HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_TILE_PACKING_H_
#define HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_TILE_PACKING_H_

#include <cstdint>

namespace halo::tiles {

inline constexpr int64_t kRows = 16;          // of a tile
inline constexpr int64_t kLine = 64;          // bytes in each of them
inline constexpr int64_t kBlock = 2 * kRows;  // rows or columns of two tiles

// Elements k to k + count - 1 of some columns of b, as the rows of two tiles: neighbours along k
// stand in one word. What is missing is zero.
struct PackedFrom {
  const uint8_t* at;
  int64_t row, column;  // steps in bytes
  int64_t element;      // bytes
};
void PackTiles(const PackedFrom& from, int64_t count, int64_t columns, uint8_t* to);
// The same for whole tiles whose rows lie in one piece, of bytes and of two bytes,
void PackRowsOfBytes(const uint8_t* from, int64_t row, uint8_t* to);
void PackRowsOfHalves(const uint8_t* from, int64_t row, uint8_t* to);
// and whose columns do.
void PackColumns(const uint8_t* from, int64_t column, uint8_t* to);

// Rows of a, `bytes` of each; what is missing is zero.
void PackRows(const uint8_t* from, int64_t row, int64_t rows, int64_t bytes, uint8_t* to);

}  // namespace halo::tiles

#endif  // HALO_CODEGEN_LIBRARY_PRODUCTS_LIB_TILE_PACKING_H_
