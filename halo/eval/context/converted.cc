// Converts arrays in blocks of lanes.
#include "halo/eval/context/converted.h"

#include <algorithm>

#include "halo/eval/lanes/lane_convert.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
Array Converted(const OpContext& cx, const Array& array, ElementType type) {
  if (array.type() == type) return array;
  Array result = cx.Make(type, array.dims());
  LaneBlock in;
  LaneBlock out;
  uint8_t* to = result.MutableBytes();
  for (int64_t at = 0; at < array.count(); at += static_cast<int64_t>(kBlock)) {
    const auto n = static_cast<size_t>(std::min<int64_t>(kBlock, array.count() - at));
    LoadLanes(array.type(), array.bytes() + static_cast<size_t>(at) * array.element_bytes(), 1, n,
              in.bytes);
    ConvertLanes(array.type(), type, in.bytes, out.bytes, n);
    StoreLanes(type, out.bytes, n, to + static_cast<size_t>(at) * result.element_bytes());
  }
  return result;
}

bool IsOtherPrecision(ElementType computed, ElementType declared) {
  const auto is_float = [](ElementType type) { return InfoOf(type).klass == ElementClass::kFloat; };
  return computed != declared && is_float(computed) && is_float(declared);
}

}  // namespace halo
