// From reads and writes in time to the ranges over which memory must keep its contents.
#include "halo/memory/check/check_facts.h"

#include <algorithm>
#include <tuple>

namespace halo::check {

void NeedsOf(std::vector<Access>& accesses, Facts& facts) {
  // At one time an instruction reads before it writes; parameters exist before anything runs.
  std::ranges::sort(accesses, [](const Access& a, const Access& b) {
    return std::tuple(a.group, a.time, a.kind) < std::tuple(b.group, b.time, b.kind);
  });
  for (size_t i = 0; i < accesses.size();) {
    const uint32_t group = accesses[i].group;
    size_t end = i;
    while (end < accesses.size() && accesses[end].group == group) ++end;
    // A read without an earlier write came too early if a later write follows in the group. Without
    // any write, the contents come from elsewhere.
    std::optional<Need> open;
    std::optional<int64_t> early;
    for (; i < end; ++i) {
      const Access& access = accesses[i];
      if (access.kind == AccessKind::kRead) {
        if (open) open->range.end = access.time;
        if (!open && !early) early = access.time;
        continue;
      }
      if (early) facts.early_uses.push_back({group, *early, access.time});
      early.reset();
      if (open && open->range.end == access.time) {
        // Read and written at once: the contents change, the memory stays needed.
        continue;
      }
      if (open) facts.needs.push_back(*open);
      open = Need{group, {access.time, access.time}};
    }
    if (open) facts.needs.push_back(*open);
  }
}

}  // namespace halo::check
