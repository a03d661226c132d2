// Blocks of memory: zeroed, aligned, large and small.
#include "halo/base/arena.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(Arena, IsZeroedAndAlignedWhateverItsSize) {
  for (const int64_t bytes : {0, 1, 63, 4096, 100000, (2 << 20) - 1, 2 << 20, (5 << 20) + 3}) {
    const Arena arena(bytes);
    ASSERT_NE(arena.data(), nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % Arena::kAlignment, 0U) << bytes;
    for (int64_t i = 0; i < bytes; i += 61) ASSERT_EQ(arena.data()[i], 0) << bytes << " " << i;
    if (bytes > 0) arena.data()[bytes - 1] = 1;
  }
}

TEST(Arena, MovesWithItsMemory) {
  Arena small(100);
  Arena large(4 << 20);
  uint8_t* const first = small.data();
  uint8_t* const second = large.data();
  std::swap(small, large);
  EXPECT_EQ(small.data(), second);
  EXPECT_EQ(large.data(), first);
}

TEST(Arena, HasNothingWhereThereIsNoMemory) {
  EXPECT_EQ(Arena(-1).data(), nullptr);
  EXPECT_EQ(Arena(std::numeric_limits<int64_t>::max()).data(), nullptr);
}

}  // namespace
}  // namespace halo
