// One row for each backend.
#include "halo/api/document/assignment_rules.h"

namespace halo {

CheckRules CheckRulesOf(std::optional<Backend> backend) {
  if (!backend) return CheckRules::kAny;
  switch (*backend) {
    case Backend::kCpu: return CheckRules::kCpu;
    case Backend::kGpu: return CheckRules::kGpu;
    case Backend::kTpu: return CheckRules::kTpu;
  }
  return CheckRules::kAny;
}

}  // namespace halo
