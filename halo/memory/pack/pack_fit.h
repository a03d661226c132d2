// Packs by rules that look at each item once: items in some order, each into the best or the first
// hole among the placed items that interfere with it. XLA's own rule is two of these. Problems too
// dense for that are packed by an allocator that walks through time.
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

// Offsets of one component, by position in it, and the height it reaches.
struct Fitted {
  std::vector<int64_t> offsets;
  int64_t height = 0;
};

// Fixed items are placed first. Returns false if `visits`, the budget of interferences it may
// examine, ran out.
bool Fit(const PackModel& model, const PackComponent& component, const FitRule& rule,
         uint64_t& visits, Fitted& out);

// Best fit in order of time: n log n however many items interfere. Treats an item's gaps as live.
// Returns false if some alignment is not the grain, or if offsets are fixed.
bool FitThroughTime(const PackModel& model, const PackComponent& component, Fitted& out);

}  // namespace halo

#endif  // HALO_MEMORY_PACK_PACK_FIT_H_
