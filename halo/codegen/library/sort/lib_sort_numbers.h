// Sorts plain numbers in ascending order: many of 16 bits by counting, others with Highway's
// vectorized quicksort, on all threads if there are many.
#ifndef HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_NUMBERS_H_
#define HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_NUMBERS_H_

#include <cstdint>

namespace halo {

struct Number128 {
  uint64_t low = 0, high = 0;
};

// `workspace` has space for n numbers. Returns the buffer with the sorted numbers, one of the two.
uint16_t* SortNumbers(uint16_t* numbers, int64_t n, uint16_t* workspace);
uint32_t* SortNumbers(uint32_t* numbers, int64_t n, uint32_t* workspace);
uint64_t* SortNumbers(uint64_t* numbers, int64_t n, uint64_t* workspace);
Number128* SortNumbers(Number128* numbers, int64_t n, Number128* workspace);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_SORT_LIB_SORT_NUMBERS_H_
