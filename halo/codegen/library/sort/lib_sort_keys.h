// Converts elements to unsigned numbers that order as a sort key does.
#ifndef HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_KEYS_H_
#define HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_KEYS_H_

#include <cstdint>

#include "halo/codegen/library/sort/lib_sort_order.h"

namespace halo {

// Floats of a byte and less are compared as the f64 they convert to.
inline bool IsSmallFloat(ElementType type) {
  return InfoOf(type).klass == ElementClass::kFloat && InfoOf(type).bits <= 8;
}
inline int KeyBits(const SortKey& key) {
  return IsSmallFloat(key.type) ? 64 : static_cast<int>(StoredBytes(key.type)) * 8;
}

// Properties of a row that its numbers do not show.
struct RowFacts {
  bool has_nan = false, has_negative_zero = false, has_positive_zero = false;
};

// Converts n elements, `stride` apart, to numbers of KeyBits. Facts are filled in for floats.
void LoadKeys(const SortKey& key, const void* from, int64_t stride, int64_t n, uint64_t* to,
              RowFacts& facts);
// The same, to and from numbers as wide as the elements, for contiguous rows that are sorted as
// numbers only. `to` may be `from`.
void ToNumbers(const SortKey& key, const void* from, void* to, int64_t n, RowFacts& facts);
void FromNumbers(const SortKey& key, void* numbers, int64_t n);

// True if the numbers order this row exactly as the key does.
bool IsOrdered(const SortKey& key, const RowFacts& facts, bool is_last);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_KEYS_H_
