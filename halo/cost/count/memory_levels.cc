// A space that counts against the device's main memory is main memory; of the others, one is the
// host's.
#include "halo/cost/count/memory_levels.h"

#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/memory_spaces.h"

namespace halo {

MemoryLevels::Level MemoryLevels::LevelOf(const ShapeTable& shapes, ShapeId array) const {
  const Layout* layout = shapes.layout(array);
  if (layout == nullptr || layout->memory_space == kMainSpace) return Level::kMain;
  if (layout->memory_space == kHostSpace) return Level::kHost;
  const SpaceDescription& space = DescriptionOf(backend_).space(layout->memory_space);
  return space.is_device ? Level::kMain : Level::kNear;
}

void MemoryLevels::AddRead(const ShapeTable& shapes, ShapeId array, double bytes,
                           Traffic& traffic) const {
  switch (LevelOf(shapes, array)) {
    case Level::kMain: traffic.read += bytes; break;
    case Level::kNear: traffic.near += bytes; break;
    case Level::kHost: traffic.host += bytes; break;
  }
}

void MemoryLevels::AddWrite(const ShapeTable& shapes, ShapeId array, double bytes,
                            Traffic& traffic) const {
  switch (LevelOf(shapes, array)) {
    case Level::kMain: traffic.written += bytes; break;
    case Level::kNear: traffic.near += bytes; break;
    case Level::kHost: traffic.host += bytes; break;
  }
}

}  // namespace halo
