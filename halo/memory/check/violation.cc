// The table of finding kinds.
#include "halo/memory/check/violation.h"

namespace halo {
namespace {

constexpr auto kInfos = std::to_array<FindingKindInfo>({
#define HALO_FINDING(name, text, help) {text, help},
#include "halo/memory/check/violations.def"
});
static_assert(kInfos.size() <= std::tuple_size_v<decltype(AssignmentFindings::counts)>);

}  // namespace

const FindingKindInfo& InfoOf(FindingKind kind) { return kInfos[static_cast<size_t>(kind)]; }

size_t FindingKindCount() { return kInfos.size(); }

}  // namespace halo
