// Diagnostic codes about programs, for every input format, from ir_diagnostics.def.
#ifndef HALO_IR_IR_DIAGNOSTICS_H_
#define HALO_IR_IR_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/ir/ir_diagnostics.def"
}  // namespace diag

inline constexpr std::array kIrDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/ir/ir_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_IR_IR_DIAGNOSTICS_H_
