// Every element is a function of its position and a key. It uses only integer arithmetic and exact
// sums, because library functions may round differently on other machines.
#include "halo/eval/inputs/random_inputs.h"

#include <algorithm>
#include <cmath>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

constexpr double kDeviation = 0.25;  // of floats whose use implies no range
constexpr int64_t kSmallCount = 8;   // upper bound of integers whose use implies no range
constexpr double kLeastPositive = 0.0625;
constexpr double kMostPositive = 1;

// A bijection of 64-bit words that mixes all bits.
uint64_t Mixed(uint64_t word) {
  word += 0x9E3779B97F4A7C15ull;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
  return word ^ (word >> 31);
}

uint64_t KeyOf(const RandomInput& input) {
  uint64_t key = Mixed(input.seed);
  key = Mixed(key ^ static_cast<uint64_t>(input.parameter));
  key = Mixed(key ^ static_cast<uint64_t>(input.leaf));
  return Mixed(key ^ static_cast<uint64_t>(input.part));
}

// Returns a number in [0, 1), exact.
double Uniform(uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

// Returns an approximately normal number with standard deviation 1, within 3.5 of zero: the sum of
// four uniform numbers.
double Normal(uint64_t word) {
  double sum = -2;
  for (int i = 0; i < 4; ++i) {
    sum += (static_cast<double>(word & 0xFFFF) + 0.5) * 0x1p-16;
    word >>= 16;
  }
  return sum * 1.7320508075688772;
}

double DeviationOf(const InputUse& use) {
  if (use.role != InputRole::kFactor) return kDeviation;
  return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(use.summed, 1)));
}

double FloatOf(const InputUse& use, double deviation, uint64_t word) {
  if (use.role == InputRole::kPositive) {
    return kLeastPositive + (kMostPositive - kLeastPositive) * Uniform(word);
  }
  return deviation * Normal(word);
}

struct IntegerRange {
  int64_t low = 0;
  int64_t count = 0;  // 0: any bits
};

IntegerRange RangeOf(ElementType type, const InputUse& use) {
  const int bits = InfoOf(type).bits;
  const bool is_signed = InfoOf(type).klass == ElementClass::kSigned;
  const int64_t most = bits >= 63 ? INT64_MAX : (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  switch (use.role) {
    case InputRole::kIndex: return {0, std::min(use.limit, most == INT64_MAX ? most : most + 1)};
    case InputRole::kRandomState: return {0, 0};
    case InputRole::kPositive: return {1, std::clamp<int64_t>(most, 1, kSmallCount)};
    default:
      // Narrow integers are usually quantized numbers: use the full range, both signs.
      if (bits <= 8) return {is_signed ? -most : 0, is_signed ? 2 * most + 1 : most + 1};
      return {0, kSmallCount};
  }
}

int64_t IntegerOf(const IntegerRange& range, uint64_t word) {
  if (range.count == 0) return static_cast<int64_t>(word);
  return range.low + static_cast<int64_t>((word >> 16) % static_cast<uint64_t>(range.count));
}

void Fill(Array& array, const InputUse& use, uint64_t key) {
  const ElementType type = array.type();
  const LaneKind kind = LaneKindOf(type);
  const double deviation = DeviationOf(use);
  const IntegerRange range = RangeOf(type, use);
  LaneBlock block;
  uint8_t* to = array.MutableBytes();
  const auto count = static_cast<uint64_t>(array.count());
  for (uint64_t begin = 0; begin < count; begin += kBlock) {
    const size_t n = std::min<uint64_t>(kBlock, count - begin);
    for (size_t i = 0; i < n; ++i) {
      const uint64_t word = Mixed(key + (begin + i) * 0x9E3779B97F4A7C15ull);
      switch (kind) {
        case LaneKind::kFloat: block.as<double>()[i] = FloatOf(use, deviation, word); break;
        case LaneKind::kComplex:
          block.as<double>()[2 * i] = FloatOf(use, deviation, word);
          block.as<double>()[2 * i + 1] = FloatOf(use, deviation, Mixed(word));
          break;
        case LaneKind::kInt:
        case LaneKind::kUint:
          block.as<int64_t>()[i] = use.role == InputRole::kMask
                                       ? static_cast<int64_t>((word & 3) != 0)
                                       : IntegerOf(range, word);
          break;
      }
    }
    StoreLanes(type, block.bytes, n, to + begin * array.element_bytes());
  }
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

}  // namespace

Array MakeRandomInput(ElementType type, std::span<const int64_t> dims, const RandomInput& input) {
  Array array(type, dims);
  Fill(array, input.use, KeyOf(input));
  return array;
}

std::string RangeText(ElementType type, const InputUse& use) {
  switch (use.role) {
    case InputRole::kToken: return "none";
    case InputRole::kMask: return "3 of 4 true";
    case InputRole::kRandomState: return "any bits";
    default: break;
  }
  if (IsIntegerType(type)) {
    const IntegerRange range = RangeOf(type, use);
    return "[" + std::to_string(range.low) + ", " + std::to_string(range.low + range.count) + ")";
  }
  if (use.role == InputRole::kPositive) {
    return "[" + Number(kLeastPositive) + ", " + Number(kMostPositive) + ")";
  }
  return "normal, deviation " + Number(DeviationOf(use));
}

}  // namespace halo
