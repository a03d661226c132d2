// Diagnostic codes about files and archives of arrays, from base_diagnostics.def.
#ifndef HALO_BASE_DIAGNOSTICS_BASE_DIAGNOSTICS_H_
#define HALO_BASE_DIAGNOSTICS_BASE_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/base/diagnostics/base_diagnostics.def"
}  // namespace diag

inline constexpr std::array kBaseDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/base/diagnostics/base_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_BASE_DIAGNOSTICS_BASE_DIAGNOSTICS_H_
