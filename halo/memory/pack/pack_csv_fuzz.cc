// Arbitrary bytes as a packing problem in CSV. Input that reads without errors must pack within few
// steps to a packing that holds and is no lower than its bound, and must read back from what is
// written.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halo/base/check.h"
#include "halo/memory/pack/pack_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const halo::PackCsv csv =
      halo::ReadPackCsv(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!csv.diagnostics.ok()) return 0;
  const auto packing = halo::Pack(csv.problem, {.seconds = 1, .steps = 200});
  HALO_CHECK(packing.has_value());
  HALO_CHECK(halo::PackingHolds(csv.problem, packing->offsets));
  HALO_CHECK(packing->lower_bound <= packing->height);
  const halo::PackCsv again = halo::ReadPackCsv(halo::WritePackCsv(csv, packing->offsets));
  HALO_CHECK(again.diagnostics.ok());
  HALO_CHECK(again.problem.items.size() == csv.problem.items.size());
  return 0;
}
