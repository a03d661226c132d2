// Packing problems as CSV, in the columns that minimalloc uses: id, lower, upper and size, and
// optionally alignment, gaps and offset. `upper` is exclusive; under the names `start` and `end`
// both ends are inclusive. Other columns are ignored. Packing is left to pack.h.
#ifndef HALO_MEMORY_PACK_PACK_CSV_H_
#define HALO_MEMORY_PACK_PACK_CSV_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/memory/pack/pack.h"

namespace halo {

struct PackCsv {
  PackProblem problem;           // without fault if there are no errors
  std::vector<std::string> ids;  // one per item
  Diagnostics diagnostics;
};

PackCsv ReadPackCsv(std::string_view text);

// Writes the same rows with their offsets, in the form with exclusive ends.
std::string WritePackCsv(const PackCsv& csv, std::span<const int64_t> offsets);

}  // namespace halo

#endif  // HALO_MEMORY_PACK_PACK_CSV_H_
