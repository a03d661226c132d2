// Copies tiles row by row along their last dimension.
#include "halo/eval/collectives/shards.h"

#include <algorithm>
#include <cstring>

namespace halo {
namespace {

// Calls `copy` for each row with its offset in the tile and in the whole array, both in elements,
// and its length in the whole array.
template <class Copy>
void ForEachRow(std::span<const int64_t> tile, std::span<const int64_t> corner,
                std::span<const int64_t> dims, const Copy& copy) {
  const size_t rank = dims.size();
  if (rank == 0) return copy(0, 0, 1);
  if (ElementsIn(tile) == 0 || ElementsIn(dims) == 0) return;
  const Dims strides = RowMajorStrides(dims);
  Dims rows(tile.begin(), tile.end());
  rows[rank - 1] = 1;
  Dims index(rank, 0);
  int64_t in_tile = 0;
  do {
    int64_t in_whole = 0;
    bool inside = corner[rank - 1] < dims[rank - 1];
    for (size_t d = 0; d < rank; ++d) {
      inside = inside && corner[d] + index[d] < dims[d];
      in_whole += (corner[d] + index[d]) * strides[d];
    }
    if (inside) {
      copy(in_tile, in_whole, std::min(tile[rank - 1], dims[rank - 1] - corner[rank - 1]));
    }
    in_tile += tile[rank - 1];
  } while (NextIndex(rows, index));
}

}  // namespace

Array GatherShards(std::span<const Array> shards, const Tiling& tiling,
                   std::span<const int64_t> dims) {
  Array whole(shards[0].type(), dims);
  const size_t width = whole.element_bytes();
  uint8_t* to = whole.MutableBytes();
  for (size_t device = shards.size(); device-- > 0;) {
    const uint8_t* from = shards[device].bytes();
    ForEachRow(tiling.tile, tiling.corners[device], dims,
               [&](int64_t in_tile, int64_t in_whole, int64_t count) {
                 std::memcpy(to + static_cast<size_t>(in_whole) * width,
                             from + static_cast<size_t>(in_tile) * width,
                             static_cast<size_t>(count) * width);
               });
  }
  return whole;
}

Array ShardOf(const Array& whole, const Tiling& tiling, int64_t device) {
  Array shard(whole.type(), tiling.tile);
  const size_t width = whole.element_bytes();
  uint8_t* to = shard.MutableBytes();
  const uint8_t* from = whole.bytes();
  ForEachRow(tiling.tile, tiling.corners[static_cast<size_t>(device)], whole.dims(),
             [&](int64_t in_tile, int64_t in_whole, int64_t count) {
               std::memcpy(to + static_cast<size_t>(in_tile) * width,
                           from + static_cast<size_t>(in_whole) * width,
                           static_cast<size_t>(count) * width);
             });
  return shard;
}

}  // namespace halo
