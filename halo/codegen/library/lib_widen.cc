// Tables of 8-bit floats, each filled when it is first used.
#include "halo/codegen/library/lib_widen.h"

#include <array>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

template <ElementType kType>
const float* TableOf() {
  static const auto kValues = [] {
    std::array<float, 256> values{};
    for (size_t i = 0; i < values.size(); ++i) {
      const auto byte = static_cast<uint8_t>(i);
      values[i] = static_cast<float>(LoadFloat(kType, &byte));
    }
    return values;
  }();
  return kValues.data();
}

}  // namespace

const float* ValuesOfBytes(ElementType type) {
  using enum ElementType;
  switch (type) {
    case kF8E3M4: return TableOf<kF8E3M4>();
    case kF8E4M3: return TableOf<kF8E4M3>();
    case kF8E4M3FN: return TableOf<kF8E4M3FN>();
    case kF8E4M3B11FNUZ: return TableOf<kF8E4M3B11FNUZ>();
    case kF8E4M3FNUZ: return TableOf<kF8E4M3FNUZ>();
    case kF8E5M2: return TableOf<kF8E5M2>();
    case kF8E5M2FNUZ: return TableOf<kF8E5M2FNUZ>();
    default: return nullptr;
  }
}

}  // namespace halo
