// Interning: equal sequences share one number, and numbers follow first appearance, regardless of
// the operations in between.
#include "halo/base/containers/span_pool.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace halo {
namespace {

uint32_t Add(SpanPool<char>& pool, std::string_view text) {
  return pool.Intern({text.data(), text.size()});
}

std::string_view Text(const SpanPool<char>& pool, uint32_t id) {
  return {pool[id].data(), pool[id].size()};
}

TEST(SpanPool, NumbersFollowFirstAppearance) {
  SpanPool<char> pool;
  EXPECT_EQ(Add(pool, ""), 0u);
  EXPECT_EQ(Add(pool, "a"), 1u);
  EXPECT_EQ(Add(pool, "b"), 2u);
  EXPECT_EQ(Add(pool, "a"), 1u);
  EXPECT_EQ(Add(pool, ""), 0u);
  EXPECT_EQ(pool.size(), 3u);
  EXPECT_EQ(Text(pool, 2), "b");
}

TEST(SpanPool, PrefixesAreNotEqual) {
  SpanPool<int64_t> pool;
  const std::vector<int64_t> numbers = {1, 2, 3};
  const std::span<const int64_t> all(numbers);
  const uint32_t whole = pool.Intern(all);
  EXPECT_NE(pool.Intern(all.first(2)), whole);
  EXPECT_NE(pool.Intern(all.subspan(1)), whole);
  EXPECT_EQ(pool.Intern(all), whole);
}

// With fixed keys, the second number would cancel the multiplier, whatever the first one is.
TEST(SpanPool, ListsMadeToCollideDoNot) {
  std::set<uint32_t> hashes;
  for (int64_t i = 0; i < 1000; ++i) {
    const int64_t list[] = {i, static_cast<int64_t>(kDigestKeys.k0), 7};
    hashes.insert(SpanPool<int64_t>::Hash(list));
  }
  EXPECT_GT(hashes.size(), 990U);
}

TEST(SpanPool, GrowsAndShrinksWithoutForgetting) {
  SpanPool<char> pool;
  for (int i = 0; i < 20000; ++i)
    EXPECT_EQ(Add(pool, "name." + std::to_string(i)), static_cast<uint32_t>(i));
  const size_t before = pool.bytes();
  pool.Shrink();
  EXPECT_LT(pool.bytes(), before);
  EXPECT_EQ(pool.Find(std::span<const char>("name.77", 7)), 77u);
  EXPECT_EQ(Add(pool, "name.77"), 77u);
  EXPECT_EQ(Add(pool, "new"), 20000u);
  EXPECT_EQ(pool.Find(std::span<const char>("absent", 6)), SpanPool<char>::kEmpty);
}

TEST(SpanPool, MayInternAPartOfItself) {
  SpanPool<char> pool;
  const std::string long_text(5000, 'x');
  const uint32_t id = Add(pool, long_text);
  for (size_t length = 1; length < 5000; length += 7) {
    const uint32_t part = pool.Intern(pool[id].first(length));
    EXPECT_EQ(Text(pool, part), std::string_view(long_text).substr(0, length));
  }
}

TEST(SpanPool, AppendedSequencesAreTheirOwn) {
  SpanPool<char> pool;
  const uint32_t interned = Add(pool, "x");
  const uint32_t appended = pool.Append(std::span<const char>("x", 1));
  EXPECT_NE(interned, appended);
  EXPECT_EQ(Text(pool, appended), "x");
  EXPECT_EQ(Add(pool, "x"), interned);
}

TEST(SpanPool, AMovedFromPoolIsEmpty) {
  SpanPool<char> pool;
  Add(pool, "x");
  const SpanPool<char> moved = std::move(pool);
  EXPECT_EQ(moved.size(), 1u);
  EXPECT_EQ(pool.size(), 0u);  // NOLINT(bugprone-use-after-move)
}

TEST(SpanPool, ClearEmptiesIt) {
  SpanPool<char> pool;
  Add(pool, "x");
  pool.Clear();
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_EQ(pool.Find(std::span<const char>("x", 1)), SpanPool<char>::kEmpty);
  EXPECT_EQ(Add(pool, "y"), 0u);
}

}  // namespace
}  // namespace halo
