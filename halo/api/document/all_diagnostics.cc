// Lists the diagnostic tables of all layers, lowest layer first.
#include "halo/api/document/all_diagnostics.h"

#include <vector>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/api/document/run_diagnostics.h"
#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/profile/profile_diagnostics.h"
#include "halo/proto/wire/proto_diagnostics.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {

std::span<const DiagCode> AllDiagnostics() {
  static const std::vector<DiagCode> kAll = [] {
    std::vector<DiagCode> all;
    const auto add = [&](std::span<const DiagCode> codes) {
      all.insert(all.end(), codes.begin(), codes.end());
    };
    add(kBaseDiagnostics);
    add(kIrDiagnostics);
    add(kTextDiagnostics);
    add(kProtoDiagnostics);
    add(kProfileDiagnostics);
    add(kAnalysisDiagnostics);
    add(kMemoryDiagnostics);
    add(kEvalDiagnostics);
    add(kApiDiagnostics);
    return all;
  }();
  return kAll;
}

const DiagCode* FindDiagnostic(uint32_t id) {
  for (const DiagCode& code : AllDiagnostics()) {
    if (code.id() == id) return &code;
  }
  return nullptr;
}

}  // namespace halo
