// Few numbers by insertion. Many are cut into pieces that are sorted at once and then merged by
// pairs, each pair by two threads: one takes the lower half from the front, one the upper half from
// the back.
#include "halo/codegen/lib_sort_numbers.h"

#include <algorithm>
#include <hwy/contrib/sort/vqsort.h>
#include <type_traits>
#include <utility>

#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kFew = 24;
constexpr int64_t kMany = 1 << 16;

template <class T>
bool Less(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Number128>) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  } else {
    return a < b;
  }
}

template <class T>
void SortPiece(T* numbers, int64_t n) {
  if (n <= kFew) {
    for (int64_t i = 1; i < n; ++i) {
      const T value = numbers[i];
      int64_t j = i;
      for (; j > 0 && Less(value, numbers[j - 1]); --j) numbers[j] = numbers[j - 1];
      numbers[j] = value;
    }
    return;
  }
  thread_local const hwy::Sorter sorter;
  if constexpr (std::is_same_v<T, Number128>) {
    static_assert(sizeof(Number128) == sizeof(hwy::uint128_t));
    sorter(reinterpret_cast<hwy::uint128_t*>(numbers), static_cast<size_t>(n),
           hwy::SortAscending());
  } else {
    sorter(numbers, static_cast<size_t>(n), hwy::SortAscending());
  }
}

// The first, or the last, `count` of what two sorted pieces give together.
template <class T>
void MergeFront(const T* a, int64_t a_size, const T* b, int64_t b_size, T* to, int64_t count) {
  int64_t i = 0;
  int64_t j = 0;
  for (int64_t k = 0; k < count; ++k) {
    const bool take_b = i == a_size || (j < b_size && Less(b[j], a[i]));
    to[k] = take_b ? b[j] : a[i];
    j += take_b ? 1 : 0;
    i += take_b ? 0 : 1;
  }
}
template <class T>
void MergeBack(const T* a, int64_t a_size, const T* b, int64_t b_size, T* to, int64_t count) {
  int64_t i = a_size - 1;
  int64_t j = b_size - 1;
  const int64_t last = a_size + b_size - 1;
  for (int64_t k = 0; k < count; ++k) {
    const bool take_a = j < 0 || (i >= 0 && Less(b[j], a[i]));
    to[last - k] = take_a ? a[i] : b[j];
    i -= take_a ? 1 : 0;
    j -= take_a ? 0 : 1;
  }
}

template <class T>
void SortAll(T* numbers, int64_t n, T* room) {
  int64_t pieces = 1;
  while (pieces * 2 <= TeamSize() && n >= pieces * 2 * (kMany / 2)) pieces *= 2;
  if (pieces == 1) return SortPiece(numbers, n);
  const auto begin_of = [&](int64_t piece) { return n * piece / pieces; };
  TeamFor(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      SortPiece(numbers + begin_of(i), begin_of(i + 1) - begin_of(i));
    }
  });
  T* from = numbers;
  T* to = room;
  for (int64_t width = 1; width < pieces; width *= 2) {
    TeamFor(pieces / width, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t first = begin_of(task / 2 * 2 * width);
        const int64_t middle = begin_of((task / 2 * 2 + 1) * width);
        const int64_t last = begin_of((task / 2 * 2 + 2) * width);
        const int64_t lower = (last - first) / 2;
        const auto merge = task % 2 == 0 ? MergeFront<T> : MergeBack<T>;
        merge(from + first, middle - first, from + middle, last - middle, to + first,
              task % 2 == 0 ? lower : last - first - lower);
      }
    });
    std::swap(from, to);
  }
  if (from != numbers) std::copy_n(from, n, numbers);
}

}  // namespace

void SortNumbers(uint16_t* numbers, int64_t n, uint16_t* room) { SortAll(numbers, n, room); }
void SortNumbers(uint32_t* numbers, int64_t n, uint32_t* room) { SortAll(numbers, n, room); }
void SortNumbers(uint64_t* numbers, int64_t n, uint64_t* room) { SortAll(numbers, n, room); }
void SortNumbers(Number128* numbers, int64_t n, Number128* room) { SortAll(numbers, n, room); }

}  // namespace halo
