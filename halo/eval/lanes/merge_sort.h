// A stable sort of row numbers that stays within bounds whatever the comparison returns:
// comparators come from programs and need not be valid orders.
#ifndef HALO_EVAL_LANES_MERGE_SORT_H_
#define HALO_EVAL_LANES_MERGE_SORT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halo {

// less(a, b) means that row a comes before row b. Equal rows keep their order.
template <class Less>
void MergeSort(std::vector<int64_t>& rows, std::vector<int64_t>& scratch, const Less& less) {
  const size_t n = rows.size();
  scratch.resize(n);
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t low = 0; low < n; low += 2 * width) {
      const size_t middle = std::min(low + width, n);
      const size_t high = std::min(low + 2 * width, n);
      size_t left = low;
      size_t right = middle;
      for (size_t to = low; to < high; ++to) {
        const bool take_right = right < high && (left == middle || less(rows[right], rows[left]));
        scratch[to] = take_right ? rows[right++] : rows[left++];
      }
    }
    rows.swap(scratch);
  }
}

}  // namespace halo

#endif  // HALO_EVAL_LANES_MERGE_SORT_H_
