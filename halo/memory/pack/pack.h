// Packs buffers with live ranges into the least memory: the problem, the result, and the one call
// between them. The result carries a lower bound, so it is known how much is left to gain. The work
// is divided among pack_model (sections and bounds), pack_fit (fast rules) and pack_search (exact
// search for a height); callers provide the problems.
#ifndef HALO_MEMORY_PACK_PACK_H_
#define HALO_MEMORY_PACK_PACK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

// Both ends are inclusive.
struct PackRange {
  int64_t start = 0;
  int64_t end = 0;
};

struct PackItem {
  int64_t size = 0;
  PackRange live;
  int64_t alignment = 0;      // of its offset; 0 means the problem's
  int64_t fixed_offset = -1;  // required offset; -1 if it is free
  // Rows of PackProblem::gaps: parts of the live range in which the bytes are free for others.
  uint32_t first_gap = 0;
  uint32_t gap_count = 0;
};

struct PackProblem {
  std::vector<PackItem> items;
  std::vector<PackRange> gaps;  // ascending and disjoint for each item, inside its live range
  int64_t alignment = 1;
};

// Why a problem cannot be packed at all, and which item is at fault; -1 if no single item is.
struct PackFault {
  std::string message;
  int64_t item = -1;
};
std::optional<PackFault> FindPackFault(const PackProblem& problem);

struct PackOptions {
  double seconds = 10;  // a limit, not a goal; if it is the only one, results depend on it
  uint64_t steps = 0;   // limit on search nodes; 0 for none. Equal steps give equal results
  int64_t enough = -1;  // a height that need not be improved on; -1 to seek the least
  bool search = true;   // false: the fast rules only
  std::function<void(std::string_view)> progress = {};  // may be empty
};

struct Packing {
  std::vector<int64_t> offsets;  // one per item
  int64_t height = 0;
  int64_t lower_bound = 0;  // no packing is lower
  int64_t xla_height = -1;  // what XLA's rule gives; -1 if the problem was too dense to try it
  uint64_t steps = 0;       // search nodes visited
  std::string_view method;  // what decided the height: the name of a rule, or "search"
  [[nodiscard]] bool optimal() const { return height == lower_bound; }
};

// nullopt if FindPackFault reports a fault.
std::optional<Packing> Pack(const PackProblem& problem, const PackOptions& options = {});

// True if no two items that are live together share a byte, and alignments and fixed offsets hold.
bool PackingHolds(const PackProblem& problem, const std::vector<int64_t>& offsets);

}  // namespace halo

#endif  // HALO_MEMORY_PACK_PACK_H_
