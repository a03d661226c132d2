// Checks the values and looks up what they name.
#include "halo/api/memory/memory_request.h"

#include "halo/api/describe/choice_lists.h"
#include "halo/describe/check_request.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

AdviceDepth DepthOf(const v0::MemoryRequest& asked) {
  // A repacked assignment is not what any change would be compared with.
  if (asked.repack || asked.advice == "none") return AdviceDepth::kNone;
  return asked.advice == "thorough" ? AdviceDepth::kThorough : AdviceDepth::kQuick;
}

}  // namespace

Result<MemoryRequest> RequestOf(const v0::MemoryRequest& asked) {
  if (const std::string problem = describe::CheckRequest(asked, ChoicesNamed); !problem.empty()) {
    return MakeBinaryDiagnostic(diag::kCannotExplain, 0, problem);
  }
  MemoryRequest request;
  request.explain = {.at = asked.at, .around = asked.around, .by = GroupByFromText(asked.by)};
  // Names may be given as the text of a module prints them.
  if (request.explain.around.starts_with('%')) request.explain.around.erase(0, 1);
  request.advice = DepthOf(asked);
  request.check = asked.check;
  request.repack = asked.repack;
  request.repack_seconds = asked.seconds;
  request.plan = asked.plan;
  request.drop_alias = asked.drop_alias;
  request.change = {.donate = asked.donate,
                    .recompute = asked.recompute,
                    .earlier = asked.earlier,
                    .later = asked.later,
                    .bf16 = asked.bf16,
                    .unpad = asked.unpad};
  if (!asked.backend.empty()) request.backend = BackendFromName(asked.backend);
  request.device = asked.device;
  request.alignment = asked.alignment;
  request.capacity = asked.capacity;
  return request;
}

}  // namespace halo
