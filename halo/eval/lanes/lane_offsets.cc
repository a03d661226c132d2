// Splits offsets into evenly spaced runs.
#include "halo/eval/lanes/lane_offsets.h"

#include <cstddef>
#include <limits>

#include "halo/eval/lanes/lane_convert.h"

namespace halo {

namespace {

// Calls visit(first, length, stride) for the longest evenly spaced runs, from left to right.
template <class Visit>
void ForEachRun(std::span<const int64_t> offsets, const Visit& visit) {
  for (size_t first = 0; first < offsets.size();) {
    size_t end = first + 1;
    const int64_t stride = end < offsets.size() ? offsets[end] - offsets[first] : 1;
    while (end < offsets.size() && offsets[end] - offsets[end - 1] == stride) ++end;
    visit(first, end - first, stride);
    first = end;
  }
}

}  // namespace

void GatherLanes(const Array& array, std::span<const int64_t> offsets, ElementType as,
                 void* lanes) {
  const size_t lane_size = LaneSize(LaneKindOf(array.type()));
  const size_t bytes = array.element_bytes();
  LaneBlock raw;
  const bool same = as == array.type();
  uint8_t* to = same ? static_cast<uint8_t*>(lanes) : raw.as<uint8_t>();
  ForEachRun(offsets, [&](size_t first, size_t length, int64_t stride) {
    LoadLanes(array.type(), array.bytes() + static_cast<size_t>(offsets[first]) * bytes, stride,
              length, to + first * lane_size);
  });
  if (same) return;
  ConvertLanes(array.type(), as, to, lanes, offsets.size());
  RoundLanes(as, offsets.size(), lanes);
}

void ScatterLanes(const void* lanes, std::span<const int64_t> offsets, Array& array) {
  const size_t lane_size = LaneSize(LaneKindOf(array.type()));
  const size_t bytes = array.element_bytes();
  uint8_t* to = array.MutableBytes();
  ForEachRun(offsets, [&](size_t first, size_t length, int64_t stride) {
    StoreLanesStrided(array.type(), static_cast<const uint8_t*>(lanes) + first * lane_size, length,
                      to + static_cast<size_t>(offsets[first]) * bytes, stride);
  });
}

int64_t LoadIndex(ElementType type, const uint8_t* from) {
  const int64_t value = LoadInt(type, from);
  if (type == ElementType::kU64 && value < 0) return std::numeric_limits<int64_t>::max();
  return value;
}

}  // namespace halo
