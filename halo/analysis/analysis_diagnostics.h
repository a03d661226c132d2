// Diagnostic codes for programs that an analysis cannot follow, from analysis_diagnostics.def.
#ifndef HALO_ANALYSIS_ANALYSIS_DIAGNOSTICS_H_
#define HALO_ANALYSIS_ANALYSIS_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/analysis/analysis_diagnostics.def"
}  // namespace diag

inline constexpr std::array kAnalysisDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/analysis/analysis_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_ANALYSIS_ANALYSIS_DIAGNOSTICS_H_
