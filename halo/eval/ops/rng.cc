// rng and rng-get-and-update-state. HLO specifies no generator for rng; here it is Philox-4x32 with
// ten rounds. The key is the evaluation's seed, xor the device number times 0x9E3779B97F4A7C15. The
// counter is, from the lowest word: the block number (64 bits), the instruction's number in the
// module, and how often that instruction has drawn on that device. A block gives two elements of 64
// bits each. Uniform floats take the top bits, as many as the type has digits, as a fraction u and
// are a + u (b - a), rounded. Uniform integers are a + bits mod (b - a), or a if that range is
// empty. Normal ones come from pairs of fractions by the Box-Muller transform.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/eval_options.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/eval/lanes/random_bits.h"

namespace halo {

namespace {

class Generator {
 public:
  explicit Generator(const OpContext& cx)
      : key_(cx.options().rng_seed ^ static_cast<uint64_t>(cx.device()) * 0x9E3779B97F4A7C15U),
        instruction_(cx.id.value),
        draw_(static_cast<uint32_t>(cx.CountDraw())) {}

  [[nodiscard]] std::array<uint64_t, 2> Block(uint64_t number) const {
    const auto words = Philox(
        {static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32), instruction_, draw_},
        {static_cast<uint32_t>(key_), static_cast<uint32_t>(key_ >> 32)});
    return {uint64_t{words[1]} << 32 | words[0], uint64_t{words[3]} << 32 | words[2]};
  }

 private:
  uint64_t key_;
  uint32_t instruction_, draw_;
};

// Returns the number of significant bits, including the leading one.
int DigitsOf(ElementType type) {
  switch (type) {
    case ElementType::kF64: return 53;
    case ElementType::kF32: return 24;
    case ElementType::kF16: return 11;
    case ElementType::kBF16: return 8;
    default: return 3;
  }
}

std::array<double, 2> Normal(std::array<uint64_t, 2> block) {
  // In (0, 1], so that the logarithm is finite.
  const double u = (static_cast<double>(block[0] >> 11) + 1) * 0x1p-53;
  const double angle = 2 * std::numbers::pi * static_cast<double>(block[1] >> 11) * 0x1p-53;
  const double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

void DrawFloats(const Generator& generator, const OpContext& cx, bool normal, Array& result) {
  const ElementType type = result.type();
  const double a = LoadFloat(cx.array(0).type(), cx.array(0).bytes());
  const double b = LoadFloat(cx.array(1).type(), cx.array(1).bytes());
  const int digits = DigitsOf(type);
  uint8_t* to = result.MutableBytes();
  for (int64_t i = 0; i < result.count(); ++i) {
    const auto block = generator.Block(static_cast<uint64_t>(i / 2));
    const auto part = static_cast<size_t>(i % 2);
    const double u = std::ldexp(static_cast<double>(block[part] >> (64 - digits)), -digits);
    const double value = normal ? a + b * Normal(block)[part] : a + u * (b - a);
    StoreFloat(type, value, to + static_cast<size_t>(i) * result.element_bytes());
  }
}

void DrawIntegers(const Generator& generator, const OpContext& cx, Array& result) {
  const ElementType type = result.type();
  const auto a = static_cast<uint64_t>(LoadInt(cx.array(0).type(), cx.array(0).bytes()));
  const auto b = static_cast<uint64_t>(LoadInt(cx.array(1).type(), cx.array(1).bytes()));
  const bool is_signed = LaneKindOf(type) == LaneKind::kInt;
  const bool empty = is_signed ? static_cast<int64_t>(b) <= static_cast<int64_t>(a) : b <= a;
  uint8_t* to = result.MutableBytes();
  for (int64_t i = 0; i < result.count(); ++i) {
    const auto block = generator.Block(static_cast<uint64_t>(i / 2));
    const uint64_t value = empty ? a : a + block[static_cast<size_t>(i % 2)] % (b - a);
    StoreInt(type, static_cast<int64_t>(value),
             to + static_cast<size_t>(i) * result.element_bytes());
  }
}

}  // namespace

Result<Value> EvalRng(OpContext& cx) {
  if (cx.operands.size() != 2 || cx.array(0).count() != 1 || cx.array(1).count() != 1) {
    return cx.Fail(diag::kCannotEvaluate, "two scalars are needed to draw numbers from");
  }
  const bool normal = cx.text(AttrKey::k_distribution) == "rng_normal";
  Array result = cx.MakeResult();
  if (auto over = cx.Spend(result.count())) return *std::move(over);
  const Generator generator(cx);
  switch (LaneKindOf(cx.type())) {
    case LaneKind::kFloat: DrawFloats(generator, cx, normal, result); break;
    case LaneKind::kComplex:
      return cx.Fail(diag::kCannotEvaluate, "complex numbers have no distribution");
    default:
      if (normal) {
        return cx.Fail(diag::kCannotEvaluate, "integers have no normal distribution");
      }
      DrawIntegers(generator, cx, result);
  }
  return Value(std::move(result));
}

// A 128-bit counter per instruction that starts at XLA's initial value and advances by delta.
Result<Value> EvalRngGetAndUpdateState(OpContext& cx) {
  constexpr uint64_t kFirst = 0x7012395;
  const auto delta = static_cast<uint64_t>(std::max<int64_t>(cx.integer(AttrKey::k_delta, 0), 0));
  const uint64_t draws = cx.CountDraw() & 0xFFFFFFFF;
  // draws * delta + kFirst in 128 bits, from 32-bit halves of delta.
  const uint64_t low_product = draws * (delta & 0xFFFFFFFF);
  const uint64_t high_product = draws * (delta >> 32) + (low_product >> 32);
  const uint64_t product = high_product << 32 | (low_product & 0xFFFFFFFF);
  Array state = cx.MakeResult();
  if (state.type() != ElementType::kU64 || state.count() != 2) {
    return cx.Fail(diag::kCannotEvaluate, "the state is not u64[2]");
  }
  const std::span<uint64_t> words = state.Mutable<uint64_t>();
  words[0] = product + kFirst;
  words[1] = (high_product >> 32) + (words[0] < kFirst ? 1 : 0);
  return Value(std::move(state));
}

}  // namespace halo
