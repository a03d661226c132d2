// Diagnostic codes about profiles, from profile_diagnostics.def.
#ifndef HALO_PROFILE_PROFILE_DIAGNOSTICS_H_
#define HALO_PROFILE_PROFILE_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/profile/profile_diagnostics.def"
}  // namespace diag

inline constexpr std::array kProfileDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/profile/profile_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_PROFILE_PROFILE_DIAGNOSTICS_H_
