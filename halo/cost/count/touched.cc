// Only the first, outermost tile decides: the ones inside it order the elements of one tile.
#include "halo/cost/count/touched.h"

#include <algorithm>
#include <vector>

namespace halo {

double BytesOfShape(const ShapeTable& shapes, ShapeId shape) {
  return static_cast<double>(shapes.ByteSize(shape).value_or(0));
}

TouchedBytes BytesOfBox(const ShapeTable& shapes, ShapeId array, std::span<const int64_t> extents) {
  const std::span<const int64_t> dims = shapes.dims(array);
  const double whole = BytesOfShape(shapes, array);
  if (!shapes.is_array(array) || dims.size() != extents.size()) return {whole, false};
  const Layout* layout = shapes.layout(array);
  const size_t rank = dims.size();
  const bool tiled = layout != nullptr && !layout->tiles.empty() &&
                     layout->minor_to_major.size() == rank && layout->tiles[0].size() <= rank;
  double bits = InfoOf(shapes.type(array)).bits;
  if (layout != nullptr && layout->element_bits > 0)
    bits = static_cast<double>(layout->element_bits);
  TouchedBytes touched{bits / 8, false};
  for (size_t minor = 0; minor < rank; ++minor) {
    const size_t dim = tiled ? static_cast<size_t>(layout->minor_to_major[minor]) : minor;
    if (dim >= rank) return {whole, false};
    int64_t extent = std::clamp<int64_t>(extents[dim], 0, std::max<int64_t>(dims[dim], 0));
    const std::vector<int64_t>* tile = tiled ? &layout->tiles[0] : nullptr;
    if (tile != nullptr && minor < tile->size()) {
      const int64_t size = (*tile)[tile->size() - 1 - minor];
      if (size > 1 && size <= (int64_t{1} << 32) && extent > 0) {
        // A box that ends where the array ends leaves nothing but padding in its last tile.
        if (extent % size != 0 && extent != dims[dim]) touched.partial_tiles = true;
        extent = (extent - 1) / size * size + size;
      }
    }
    touched.bytes *= static_cast<double>(extent);
  }
  if (whole > 0) touched.bytes = std::min(touched.bytes, whole);
  return touched;
}

}  // namespace halo
