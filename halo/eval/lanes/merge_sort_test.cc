// Compares the sort with the standard one, and runs it with comparisons that are not orders.
#include "halo/eval/lanes/merge_sort.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace halo {
namespace {

std::vector<int64_t> Rows(size_t n) {
  std::vector<int64_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

TEST(MergeSort, IsStable) {
  for (const size_t n : {0, 1, 2, 3, 7, 8, 9, 100, 1000}) {
    std::vector<int64_t> rows = Rows(n);
    std::vector<int64_t> expected = rows;
    std::vector<int64_t> scratch;
    const auto key = [](int64_t row) { return row * 7919 % 13; };
    MergeSort(rows, scratch, [&key](int64_t a, int64_t b) { return key(a) < key(b); });
    // Rows start in order, so among equal keys the smaller row comes first.
    std::ranges::sort(expected, [&key](int64_t a, int64_t b) {
      return key(a) != key(b) ? key(a) < key(b) : a < b;
    });
    EXPECT_EQ(rows, expected) << n;
  }
}

TEST(MergeSort, KeepsEveryRowWhateverIsSaid) {
  uint32_t state = 1;
  const auto any = [&state](int64_t, int64_t) {
    state = state * 1664525 + 1013904223;
    return state >> 31 != 0;
  };
  for (const size_t n : {5, 64, 333}) {
    std::vector<int64_t> rows = Rows(n);
    std::vector<int64_t> scratch;
    MergeSort(rows, scratch, any);
    std::ranges::sort(rows);
    EXPECT_EQ(rows, Rows(n));
  }
}

}  // namespace
}  // namespace halo
