// Names of causes as the JSON document spells them.
#include "halo/diff/explain/program_diff.h"

namespace halo {

std::string_view TextOf(CauseKind kind) {
  switch (kind) {
    case CauseKind::kValues: return "values";
    case CauseKind::kOutputs: return "outputs";
    case CauseKind::kRepeated: return "repeated";
    case CauseKind::kFusion: return "fusion";
    case CauseKind::kLayout: return "layout";
    case CauseKind::kCopy: return "copy";
    case CauseKind::kCollective: return "collective";
    case CauseKind::kSchedule: return "schedule";
    case CauseKind::kDonation: return "donation";
    case CauseKind::kSharding: return "sharding";
    case CauseKind::kConfig: return "config";
    case CauseKind::kModule: return "module";
  }
  return "";
}

}  // namespace halo
