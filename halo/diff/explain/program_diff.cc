// Names of causes as the JSON document spells them, and their order.
#include "halo/diff/explain/program_diff.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace halo {
namespace {

bool ChangesValues(CauseKind kind) {
  return kind == CauseKind::kValues || kind == CauseKind::kOutputs;
}

}  // namespace

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

void RankCauses(std::vector<DiffCause>& causes) {
  std::sort(causes.begin(), causes.end(), [](const DiffCause& x, const DiffCause& y) {
    const bool first = ChangesValues(x.kind);
    if (first != ChangesValues(y.kind)) return first;
    if (x.bytes != y.bytes) return x.bytes > y.bytes;
    const double x_seconds = std::abs(x.seconds.value_or(0));
    const double y_seconds = std::abs(y.seconds.value_or(0));
    if (x_seconds != y_seconds) return x_seconds > y_seconds;
    if (x.count != y.count) return x.count > y.count;
    return std::tie(x.kind, x.what) < std::tie(y.kind, y.what);
  });
}

}  // namespace halo
