// Makes one pass over the elements, in blocks of lanes.
#include "halo/eval/inputs/summary.h"

#include <algorithm>
#include <cmath>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

// Calls `take` with each element as a double; complex elements as their magnitude.
template <class Take>
void ForEachNumber(const Array& array, const Take& take) {
  const ElementType type = array.type();
  const LaneKind kind = LaneKindOf(type);
  LaneBlock block;
  for (int64_t begin = 0; begin < array.count(); begin += kBlock) {
    const auto n = static_cast<size_t>(std::min<int64_t>(kBlock, array.count() - begin));
    LoadLanes(type, array.bytes() + static_cast<size_t>(begin) * array.element_bytes(), 1, n,
              block.bytes);
    for (size_t i = 0; i < n; ++i) {
      switch (kind) {
        case LaneKind::kInt: take(static_cast<double>(block.as<int64_t>()[i])); break;
        case LaneKind::kUint: take(static_cast<double>(block.as<uint64_t>()[i])); break;
        case LaneKind::kFloat: take(block.as<double>()[i]); break;
        case LaneKind::kComplex: {
          const double re = block.as<double>()[2 * i];
          const double im = block.as<double>()[2 * i + 1];
          take(std::isnan(re) || std::isnan(im) ? NAN : std::hypot(re, im));
          break;
        }
      }
    }
  }
}

}  // namespace

ArraySummary Summarize(const Array& array) {
  ArraySummary summary;
  summary.count = array.count();
  double low = INFINITY;
  double high = -INFINITY;
  double sum = 0;
  ForEachNumber(array, [&](double value) {
    if (std::isnan(value)) {
      ++summary.nans;
    } else if (std::isinf(value)) {
      ++summary.infinities;
    } else {
      low = std::min(low, value);
      high = std::max(high, value);
      sum += value;
      summary.zeros += value == 0 ? 1 : 0;
    }
  });
  if (summary.finite() > 0) {
    summary.min = low;
    summary.max = high;
    summary.mean = sum / static_cast<double>(summary.finite());
  }
  return summary;
}

NonFinite FindNonFinite(const Array& array) {
  NonFinite found;
  const ElementClass klass = InfoOf(array.type()).klass;
  if (klass != ElementClass::kFloat && klass != ElementClass::kComplex) return found;
  ForEachNumber(array, [&found](double value) {
    found.nan |= std::isnan(value);
    found.infinite |= std::isinf(value);
  });
  return found;
}

}  // namespace halo
