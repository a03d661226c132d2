// Counter-based random bits, identical to eval's, many blocks at a time: rng-bit-generator and
// JAX's threefry2x32.
#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kBlocksAtOnce = 256;  // blocks at a time
constexpr int64_t kWorthAThread = 1 << 12;

// Twenty rounds on each pair, in place.
void ThreefryRun(const uint32_t* key0, const uint32_t* key1, int64_t key_step, uint32_t* x,
                 uint32_t* y, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) {
      constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
      const uint32_t k0 = key0[i * key_step];
      const uint32_t k1 = key1[i * key_step];
      const uint32_t schedule[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDA};
      uint32_t a = x[i] + schedule[0];
      uint32_t b = y[i] + schedule[1];
      for (uint32_t group = 0; group < 5; ++group) {
        for (const int rotation : kRotations[group % 2]) {
          a += b;
          b = std::rotl(b, rotation) ^ a;
        }
        a += schedule[(group + 1) % 3];
        b += schedule[(group + 2) % 3] + group + 1;
      }
      x[i] = a;
      y[i] = b;
    }
  });
}

struct PhiloxWords {
  uint32_t words[4][kBlocksAtOnce];
};

// Ten rounds on each counter, in place.
void PhiloxRun(uint32_t key0, uint32_t key1, PhiloxWords& w, int64_t n) {
  ForCpu([=, &w](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) {
      uint32_t x0 = w.words[0][i];
      uint32_t x1 = w.words[1][i];
      uint32_t x2 = w.words[2][i];
      uint32_t x3 = w.words[3][i];
      uint32_t k0 = key0;
      uint32_t k1 = key1;
      for (int round = 0; round < 10; ++round) {
        const uint64_t a = uint64_t{0xD2511F53} * x0;
        const uint64_t b = uint64_t{0xCD9E8D57} * x2;
        x0 = static_cast<uint32_t>(b >> 32) ^ x1 ^ k0;
        x1 = static_cast<uint32_t>(b);
        x2 = static_cast<uint32_t>(a >> 32) ^ x3 ^ k1;
        x3 = static_cast<uint32_t>(a);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
      }
      w.words[0][i] = x0;
      w.words[1][i] = x1;
      w.words[2][i] = x2;
      w.words[3][i] = x3;
    }
  });
}

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
uint64_t Joined(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

class ThreefryCallOp : public LibraryOp {
 public:
  ThreefryCallOp(int64_t count, bool one_key) : count_(count), one_key_(one_key) {}

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* /*scratch*/) override {
    const auto word = [&](size_t i) { return static_cast<uint32_t*>(buffers[i]); };
    TeamFor(count_, kWorthAThread, [&](int64_t begin, int64_t end) {
      uint32_t x[kBlocksAtOnce];
      uint32_t y[kBlocksAtOnce];
      for (int64_t at = begin; at < end; at += kBlocksAtOnce) {
        const int64_t n = std::min(kBlocksAtOnce, end - at);
        std::copy_n(word(2) + at, n, x);
        std::copy_n(word(3) + at, n, y);
        const int64_t key = one_key_ ? 0 : at;
        ThreefryRun(word(0) + key, word(1) + key, one_key_ ? 0 : 1, x, y, n);
        std::copy_n(x, n, word(4) + at);
        std::copy_n(y, n, word(5) + at);
      }
    });
    return std::nullopt;
  }
  [[nodiscard]] std::string Text() const override {
    return "threefry of " + std::to_string(count_) + " blocks";
  }

 private:
  int64_t count_;
  bool one_key_;
};

// Which elements each Threefry block produces: two that are adjacent along one dimension.
struct PairPositions {
  int64_t outer = 1, length = 1, half = 1, inner = 1;

  explicit PairPositions(const Dims& dims) {
    // The first even dimension, otherwise the first of the largest.
    auto split = std::find_if(dims.begin(), dims.end(), [](int64_t d) { return d % 2 == 0; });
    if (split == dims.end()) split = std::max_element(dims.begin(), dims.end());
    if (dims.empty()) return;
    length = *split;
    half = (length + 1) / 2;
    for (auto dim = split + 1; dim != dims.end(); ++dim) inner *= *dim;
    for (auto dim = dims.begin(); dim != split; ++dim) outer *= *dim;
  }
  [[nodiscard]] int64_t blocks() const { return outer * half * inner; }
};

template <class T>
class BitGeneratorOp : public LibraryOp {
 public:
  BitGeneratorOp(const Placed& result, int64_t state_words, bool threefry)
      : count_(result.count()),
        state_words_(state_words),
        threefry_(threefry),
        positions_(result.dims) {}

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* /*scratch*/) override {
    uint64_t state[3] = {};
    std::copy_n(static_cast<const uint64_t*>(buffers[0]), state_words_, state);
    T* to = static_cast<T*>(buffers.back());
    if (threefry_) {
      FillThreefry(state[0], state[1], to);
      state[1] += static_cast<uint64_t>(sizeof(T) == 8 ? count_ : positions_.blocks());
    } else {
      const uint64_t high = state_words_ == 3 ? state[2] : state[0];
      const int64_t blocks = (count_ + kPerBlock - 1) / kPerBlock;
      FillPhilox(state[0], state[1], high, blocks, to);
      const uint64_t next = state[1] + static_cast<uint64_t>(blocks);
      if (next < state[1]) ++state[2];
      state[1] = next;
    }
    // XLA's TPU compiler leaves the new state out where nothing uses it.
    if (buffers.size() > 2) {
      std::copy_n(state, state_words_, static_cast<uint64_t*>(buffers[1]));
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string Text() const override {
    return std::string(threefry_ ? "threefry" : "philox") + " of " + std::to_string(count_) +
           " elements";
  }

 private:
  static constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;

  void FillThreefry(uint64_t key, uint64_t counter, T* to) const {
    const uint32_t key0 = Low(key);
    const uint32_t key1 = High(key);
    const int64_t blocks = sizeof(T) == 8 ? count_ : positions_.blocks();
    TeamFor(blocks, kWorthAThread, [&](int64_t begin, int64_t end) {
      uint32_t x[kBlocksAtOnce];
      uint32_t y[kBlocksAtOnce];
      for (int64_t at = begin; at < end; at += kBlocksAtOnce) {
        const int64_t n = std::min(kBlocksAtOnce, end - at);
        for (int64_t i = 0; i < n; ++i) {
          x[i] = Low(counter + static_cast<uint64_t>(at + i));
          y[i] = High(counter + static_cast<uint64_t>(at + i));
        }
        ThreefryRun(&key0, &key1, 0, x, y, n);
        if constexpr (sizeof(T) == 8) {
          for (int64_t i = 0; i < n; ++i) to[at + i] = Joined(x[i], y[i]);
        } else {
          SpreadPairs(x, y, at, n, to);
        }
      }
    });
  }

  void SpreadPairs(const uint32_t* x, const uint32_t* y, int64_t block, int64_t n, T* to) const {
    const PairPositions& p = positions_;
    int64_t i = block % p.inner;
    int64_t h = block / p.inner % p.half;
    int64_t o = block / p.inner / p.half;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = (o * p.length + 2 * h) * p.inner + i;
      to[at] = static_cast<T>(x[k]);
      if (2 * h + 1 < p.length) to[at + p.inner] = static_cast<T>(y[k]);
      if (++i < p.inner) continue;
      i = 0;
      if (++h < p.half) continue;
      h = 0;
      ++o;
    }
  }

  void FillPhilox(uint64_t key, uint64_t low, uint64_t high, int64_t blocks, T* to) const {
    TeamFor(blocks, kWorthAThread, [&](int64_t begin, int64_t end) {
      PhiloxWords w;
      for (int64_t at = begin; at < end; at += kBlocksAtOnce) {
        const int64_t n = std::min(kBlocksAtOnce, end - at);
        for (int64_t i = 0; i < n; ++i) {
          const uint64_t counter = low + static_cast<uint64_t>(at + i);
          const uint64_t carried = high + (counter < low ? 1 : 0);
          w.words[0][i] = Low(counter);
          w.words[1][i] = High(counter);
          w.words[2][i] = Low(carried);
          w.words[3][i] = High(carried);
        }
        PhiloxRun(Low(key), High(key), w, n);
        for (int64_t i = 0; i < n; ++i) StoreBlock(w, i, (at + i) * kPerBlock, to);
      }
    });
  }

  void StoreBlock(const PhiloxWords& w, int64_t i, int64_t first, T* to) const {
    const int64_t count = std::min(kPerBlock, count_ - first);
    for (int64_t j = 0; j < count; ++j) {
      if constexpr (sizeof(T) == 8) {
        to[first + j] = Joined(w.words[2 * j][i], w.words[2 * j + 1][i]);
      } else {
        to[first + j] = static_cast<T>(w.words[j][i]);
      }
    }
  }

  int64_t count_, state_words_;
  bool threefry_;
  PairPositions positions_;
};

}  // namespace

std::unique_ptr<LibraryOp> MakeThreefryCallOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (!operands || operands->size() < 4 || !results || results->size() != 2 ||
      operands->size() != 4) {
    return nullptr;
  }
  const Placed& counters = (*operands)[2];
  const bool one_key = (*operands)[0].count() == 1 && (*operands)[1].count() == 1;
  for (size_t i = 0; i < 4; ++i) {
    const Placed& operand = (*operands)[i];
    if (operand.type != ElementType::kU32) return nullptr;
    if (i < 2 && one_key) continue;
    if (operand.dims != counters.dims || operand.strides != counters.strides) return nullptr;
  }
  for (const Placed& result : *results) {
    if (result.type != ElementType::kU32 || result.dims != counters.dims ||
        result.strides != counters.strides) {
      return nullptr;
    }
  }
  return std::make_unique<ThreefryCallOp>(counters.count(), one_key);
}

std::unique_ptr<LibraryOp> MakeBitGeneratorOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (!operands || operands->size() != 1 || !results || results->empty() || results->size() > 2) {
    return nullptr;
  }
  const Placed& state = (*operands)[0];
  const Placed& bits = results->back();
  const ElementClass klass = InfoOf(bits.type).klass;
  if (state.type != ElementType::kU64 || state.count() < 2 || state.count() > 3 ||
      bits.strides != RowMajorStrides(bits.dims) || klass == ElementClass::kComplex ||
      klass == ElementClass::kPred || InfoOf(bits.type).bits < 8) {
    return nullptr;
  }
  const bool threefry = module.TextOr(inst.attrs, AttrKey::k_algorithm) == "rng_three_fry";
  switch (InfoOf(bits.type).bits) {
    case 8: return std::make_unique<BitGeneratorOp<uint8_t>>(bits, state.count(), threefry);
    case 16: return std::make_unique<BitGeneratorOp<uint16_t>>(bits, state.count(), threefry);
    case 32: return std::make_unique<BitGeneratorOp<uint32_t>>(bits, state.count(), threefry);
    default: return std::make_unique<BitGeneratorOp<uint64_t>>(bits, state.count(), threefry);
  }
}

}  // namespace halo
