// Compares the vector loops with the evaluator's fold on bit patterns of every kind: subnormals,
// infinities, ties.
#include "halo/devices/combine/fast_fold.h"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "halo/eval/collectives/member_fold.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

const char* OpOf(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kMax: return "maximum";
    case ReduceKind::kMin: return "minimum";
    default: return "add";
  }
}

bool IsNan(ElementType type, const uint8_t* element) {
  uint32_t bits = 0;
  switch (type) {
    case ElementType::kF32:
      std::memcpy(&bits, element, 4);
      return (bits & 0x7FFFFFFFU) > 0x7F800000U;
    case ElementType::kBF16: std::memcpy(&bits, element, 2); return (bits & 0x7FFFU) > 0x7F80U;
    case ElementType::kF16: std::memcpy(&bits, element, 2); return (bits & 0x7FFFU) > 0x7C00U;
    default: return false;
  }
}

// A fold in two steps, wherever it is split, gives the bits of the whole.
void ExpectSameInSteps(ReduceKind kind, ElementType type, const std::vector<const uint8_t*>& in,
                       const std::vector<uint8_t>& whole, size_t count) {
  const ChainFold chain = ChainFoldOf(kind, type);
  ASSERT_NE(chain.step, nullptr);
  const std::span<const uint8_t* const> all = in;
  std::vector<uint8_t> state(count * chain.element_bytes);
  std::vector<uint8_t> got(whole.size());
  for (size_t split = 1; split < in.size(); ++split) {
    chain.step(nullptr, all.first(split), state.data(), count, false);
    chain.step(state.data(), all.subspan(split), got.data(), count, true);
    const size_t bytes = whole.size() / count;
    for (size_t i = 0; i < count; ++i) {
      const uint8_t* a = whole.data() + i * bytes;
      const uint8_t* b = got.data() + i * bytes;
      if (IsNan(type, a) && IsNan(type, b)) continue;  // which of two NaNs is kept is unspecified
      ASSERT_EQ(std::memcmp(a, b, bytes), 0) << TextOf(type) << " split at " << split;
    }
  }
}

void Compare(ReduceKind kind, ElementType type) {
  const std::string scalar = std::string(TextOf(type)) + "[]";
  const TextReadResult read =
      ReadHloText("HloModule m\nENTRY e { a = " + scalar + " parameter(0)\n b = " + scalar +
                  " parameter(1)\n ROOT r = " + scalar + " " + OpOf(kind) + "(a, b) }");
  ASSERT_TRUE(read.diagnostics.ok());
  std::optional<LaneProgram> program = LaneProgram::Compile(read.module, read.module.entry);
  ASSERT_TRUE(program);
  const FastFold fast = FastFoldOf(kind, type);
  ASSERT_NE(fast, nullptr);
  const size_t bytes = StoredBytes(type);
  std::mt19937_64 random(7);
  for (const size_t members : {2U, 5U, 8U, 13U}) {
    const size_t count = kFoldElements - members;
    std::vector<std::vector<uint8_t>> arrays(members, std::vector<uint8_t>(count * bytes));
    std::vector<const uint8_t*> in;
    for (std::vector<uint8_t>& array : arrays) {
      for (uint8_t& byte : array) byte = static_cast<uint8_t>(random());
      // Zeros of both signs.
      for (size_t i = 0; i < 64 * bytes; ++i) {
        array[i] = i % bytes == bytes - 1 ? static_cast<uint8_t>(random() & 0x80U) : 0;
      }
      in.push_back(array.data());
    }
    std::vector<uint8_t> want(count * bytes);
    std::vector<uint8_t> got(count * bytes);
    FoldMembers(*program, type, in, want.data(), count);
    fast(in, got.data(), count);
    ExpectSameInSteps(kind, type, in, got, count);
    for (size_t i = 0; i < count; ++i) {
      const uint8_t* a = want.data() + i * bytes;
      const uint8_t* b = got.data() + i * bytes;
      if (IsNan(type, a) && IsNan(type, b)) continue;  // which of two NaNs is kept is unspecified
      ASSERT_EQ(std::memcmp(a, b, bytes), 0) << TextOf(type) << " " << OpOf(kind) << " " << i;
    }
  }
}

TEST(FastFold, SumsAreTheEvaluators) {
  for (const ElementType type :
       {ElementType::kF32, ElementType::kF16, ElementType::kBF16, ElementType::kS8,
        ElementType::kU16, ElementType::kS32, ElementType::kU64}) {
    Compare(ReduceKind::kSum, type);
  }
}

TEST(FastFold, ExtremesAreTheEvaluators) {
  for (const ReduceKind kind : {ReduceKind::kMax, ReduceKind::kMin}) {
    Compare(kind, ElementType::kF32);
    Compare(kind, ElementType::kS32);
  }
}

}  // namespace
}  // namespace halo
