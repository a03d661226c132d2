// Two programs that still differ, with dimensions as small as the difference allows.
#ifndef HALO_API_NUMBERS_REPRODUCER_H_
#define HALO_API_NUMBERS_REPRODUCER_H_

#include <cstdint>
#include <string>

#include "halo/api/numbers/compare_numbers.h"

namespace halo {

struct Reproducer {
  std::string before, after;         // HLO text
  RunResult inputs;                  // a run of the first, for its inputs
  int64_t bytes = 0, new_bytes = 0;  // peak of the first program; equal if it was not shrunk
};

// `found` must have a first difference. A smaller pair counts if the same value differs first.
Reproducer MakeReproducer(const Document& before, const Document& after,
                          const NumbersRequest& request, const NumbersResult& found);

}  // namespace halo

#endif  // HALO_API_NUMBERS_REPRODUCER_H_
