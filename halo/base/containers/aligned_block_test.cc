// Memory blocks: zeroed, aligned, large and small, with and without guard pages.
#include "halo/base/containers/aligned_block.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(AlignedBlock, IsZeroedAndAlignedWhateverItsSize) {
  for (const int64_t bytes : {0, 1, 63, 4096, 100000, (2 << 20) - 1, 2 << 20, (5 << 20) + 3}) {
    const AlignedBlock arena(bytes);
    ASSERT_NE(arena.data(), nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % AlignedBlock::kAlignment, 0U) << bytes;
    for (int64_t i = 0; i < bytes; i += 61) ASSERT_EQ(arena.data()[i], 0) << bytes << " " << i;
    if (bytes > 0) arena.data()[bytes - 1] = 1;
  }
}

TEST(AlignedBlock, MovesWithItsMemory) {
  AlignedBlock small(100);
  AlignedBlock large(4 << 20);
  uint8_t* const first = small.data();
  uint8_t* const second = large.data();
  std::swap(small, large);
  EXPECT_EQ(small.data(), second);
  EXPECT_EQ(large.data(), first);
}

TEST(AlignedBlock, HasNothingWhereThereIsNoMemory) {
  EXPECT_EQ(AlignedBlock(-1).data(), nullptr);
  EXPECT_EQ(AlignedBlock(std::numeric_limits<int64_t>::max()).data(), nullptr);
}

#if defined(__linux__) && !defined(__wasm__)
TEST(AlignedBlock, GuardPagesStopAccessOutside) {
  for (const int64_t bytes : {1, 64, 4096, 5000, (2 << 20) + 64}) {
    SetGuardPages(GuardPages::kAfter);
    const AlignedBlock after(bytes);
    SetGuardPages(GuardPages::kBefore);
    const AlignedBlock before(bytes);
    SetGuardPages(GuardPages::kNone);
    for (const AlignedBlock* block : {&after, &before}) {
      ASSERT_NE(block->data(), nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block->data()) % AlignedBlock::kAlignment, 0U);
      for (int64_t i = 0; i < bytes; i += 61) ASSERT_EQ(block->data()[i], 0) << bytes << " " << i;
      block->data()[bytes - 1] = 1;
    }
    const volatile uint8_t* read = before.data();
    EXPECT_DEATH((void)read[-1], "") << bytes;
    read = after.data();
    const int64_t rounded = (bytes + 63) / 64 * 64;
    EXPECT_DEATH((void)read[rounded], "") << bytes;
  }
}

TEST(AlignedBlock, WritingBehindAGuardedBlockIsNoticed) {
  const auto write_behind = [](GuardPages guard) {
    SetGuardPages(guard);
    const AlignedBlock block(100);
    block.data()[100] = 1;
  };
  EXPECT_DEATH(write_behind(GuardPages::kAfter), "");
  EXPECT_DEATH(write_behind(GuardPages::kBefore), "");
}
#endif

}  // namespace
}  // namespace halo
