// rng-bit-generator: decides which counter each element of the result takes its bits from, in XLA's
// order. The state is u64: a key, then the counter (64 bits; 128 for philox with three elements).
// Narrow types take the low bits of 32; rng_default is philox.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/lanes/random_bits.h"

namespace halo {

namespace {

std::array<uint32_t, 2> Halves(uint64_t x) {
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)};
}
uint64_t Joined(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

// Writes elements by index. The bits are as wide as the element, or truncated to it.
struct BitWriter {
  uint8_t* to;
  size_t bytes;
  uint64_t mask;
  int64_t count;
  void Put(int64_t at, uint64_t bits) const {
    if (at >= count) return;
    bits &= mask;
    std::memcpy(to + static_cast<size_t>(at) * bytes, &bits, bytes);
  }
};

// One block yields two words: one 64-bit element, or two narrower elements that are adjacent along
// the dimension that is split in halves. Returns how far the counter advanced.
uint64_t FillThreefry(std::array<uint32_t, 2> key, uint64_t counter, const Array& shape, bool wide,
                      const BitWriter& out) {
  if (wide) {
    for (int64_t i = 0; i < out.count; ++i) {
      const auto words = Threefry(Halves(counter + static_cast<uint64_t>(i)), key);
      out.Put(i, Joined(words[0], words[1]));
    }
    return static_cast<uint64_t>(out.count);
  }
  // The split dimension: the first even one, else the first of the largest.
  const std::span<const int64_t> dims = shape.dims();
  auto split = std::find_if(dims.begin(), dims.end(), [](int64_t d) { return d % 2 == 0; });
  if (split == dims.end()) split = std::max_element(dims.begin(), dims.end());
  const int64_t length = dims.empty() ? 1 : *split;
  const int64_t half = (length + 1) / 2;
  int64_t inner = 1;
  if (!dims.empty()) {
    for (auto dim = split + 1; dim != dims.end(); ++dim) inner *= *dim;
  }
  const int64_t outer = out.count == 0 ? 0 : out.count / (length * inner);
  int64_t block = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t h = 0; h < half; ++h) {
      for (int64_t i = 0; i < inner; ++i, ++block) {
        const auto words = Threefry(Halves(counter + static_cast<uint64_t>(block)), key);
        const int64_t at = (o * length + 2 * h) * inner + i;
        out.Put(at, words[0]);
        if (2 * h + 1 < length) out.Put(at + inner, words[1]);
      }
    }
  }
  return static_cast<uint64_t>(block);
}

struct Counter128 {
  uint64_t low, high;
  [[nodiscard]] Counter128 Plus(uint64_t n) const {
    return {low + n, high + (low + n < low ? 1 : 0)};
  }
};

// One block yields four words, for consecutive elements.
uint64_t FillPhilox(std::array<uint32_t, 2> key, Counter128 counter, bool wide,
                    const BitWriter& out) {
  const int64_t per_block = wide ? 2 : 4;
  const int64_t blocks = (out.count + per_block - 1) / per_block;
  for (int64_t b = 0; b < blocks; ++b) {
    const Counter128 at = counter.Plus(static_cast<uint64_t>(b));
    const auto low = Halves(at.low);
    const auto high = Halves(at.high);
    const auto words = Philox({low[0], low[1], high[0], high[1]}, key);
    if (wide) {
      out.Put(2 * b, Joined(words[0], words[1]));
      out.Put(2 * b + 1, Joined(words[2], words[3]));
      continue;
    }
    for (int64_t i = 0; i < 4; ++i) out.Put(4 * b + i, words[static_cast<size_t>(i)]);
  }
  return static_cast<uint64_t>(blocks);
}

}  // namespace

Result<Value> EvalRngBitGenerator(OpContext& cx) {
  const std::string_view algorithm = cx.text(AttrKey::k_algorithm);
  // XLA's TPU compiler leaves the new state out where nothing uses it.
  const bool with_state = cx.module.shapes.is_tuple(cx.shape());
  const ShapeId shape = with_state ? cx.shape(1) : cx.shape();
  const ElementType type = cx.module.shapes.type(shape);
  const int bits = InfoOf(type).bits;
  Array state = cx.array(0);
  if (state.type() != ElementType::kU64 || state.count() < 2 || state.count() > 3) {
    return cx.Fail(diag::kCannotEvaluate, "the state is not u64[2] or u64[3]");
  }
  if (!cx.module.shapes.is_array(shape) || LaneKindOf(type) == LaneKind::kComplex ||
      type == ElementType::kPred) {
    return cx.Fail(diag::kCannotEvaluate,
                   "no generator is defined for " + std::string(TextOf(type)));
  }
  Array result = cx.Make(type, cx.module.shapes.dims(shape));
  if (auto over = cx.Spend(result.count())) return *std::move(over);
  const BitWriter out = {.to = result.MutableBytes(),
                         .bytes = result.element_bytes(),
                         .mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1,
                         .count = result.count()};
  const std::span<uint64_t> words = state.Mutable<uint64_t>();
  const auto key = Halves(words[0]);
  if (algorithm == "rng_three_fry") {
    words[1] += FillThreefry(key, words[1], result, bits == 64, out);
  } else {
    const Counter128 counter = {words[1], words.size() == 3 ? words[2] : words[0]};
    const Counter128 next = counter.Plus(FillPhilox(key, counter, bits == 64, out));
    words[1] = next.low;
    if (words.size() == 3) words[2] = next.high;
  }
  if (!with_state) return Value(std::move(result));
  return Value::Tuple({std::move(state), std::move(result)});
}

}  // namespace halo
