// Diagnostic codes about the inputs of a run, from run_diagnostics.def.
#ifndef HALO_API_DOCUMENT_RUN_DIAGNOSTICS_H_
#define HALO_API_DOCUMENT_RUN_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/api/document/run_diagnostics.def"
}  // namespace diag

inline constexpr std::array kApiDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/api/document/run_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_API_DOCUMENT_RUN_DIAGNOSTICS_H_
