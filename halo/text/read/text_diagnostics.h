// Diagnostic codes about HLO text, from text_diagnostics.def.
#ifndef HALO_TEXT_READ_TEXT_DIAGNOSTICS_H_
#define HALO_TEXT_READ_TEXT_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/text/read/text_diagnostics.def"
}  // namespace diag

inline constexpr std::array kTextDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/text/read/text_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_TEXT_READ_TEXT_DIAGNOSTICS_H_
