// Names of units.
#include "halo/describe/type_model.h"

namespace halo::describe {

std::string_view UnitText(v0::Unit unit) {
  switch (unit) {
    case v0::Unit::kNone: return "";
    case v0::Unit::kBytes: return "bytes";
    case v0::Unit::kSeconds: return "seconds";
    case v0::Unit::kPosition: return "position";
    case v0::Unit::kPercent: return "percent";
    case v0::Unit::kFlops: return "flops";
    case v0::Unit::kBytesPerSecond: return "bytes per second";
  }
  return "";
}

}  // namespace halo::describe
