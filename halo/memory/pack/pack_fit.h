// Packing by rules that look at each item once: items in some order, each into the best or the
// first hole among those already placed that are live with it. XLA's own rule is two of these. For
// problems too dense for that, an allocator that walks through time.
#ifndef HALO_MEMORY_PACK_PACK_FIT_H_
#define HALO_MEMORY_PACK_PACK_FIT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/memory/pack/pack_model.h"

namespace halo {

enum class FitOrder : uint8_t {
  kSize,      // with kBest: XLA's spatial order
  kDuration,  // with kBest: XLA's temporal order
  kArea,
  kStart,
};
enum class FitHole : uint8_t { kBest, kFirst };

struct FitRule {
  std::string_view name;
  FitOrder order;
  FitHole hole;
};

// The rules worth trying, XLA's two first.
inline constexpr int kXlaRules = 2;
extern const FitRule kFitRules[8];

// Offsets of one component, by position in it; the heights it reaches.
struct Fitted {
  std::vector<int64_t> offsets;
  int64_t height = 0;
};

// Fixed items go first. False if `visits`, the meetings of items it may look at, ran out.
bool Fit(const PackModel& model, const PackComponent& component, const FitRule& rule,
         uint64_t& visits, Fitted& out);

// Best fit in the order of time: n log n whatever the items' meetings. Takes an item's gaps for
// live. False if alignments are not all the grain, or offsets are fixed.
bool FitThroughTime(const PackModel& model, const PackComponent& component, Fitted& out);

}  // namespace halo

#endif  // HALO_MEMORY_PACK_PACK_FIT_H_
