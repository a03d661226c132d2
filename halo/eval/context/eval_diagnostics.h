// Diagnostic codes for running a program, from eval_diagnostics.def.
#ifndef HALO_EVAL_CONTEXT_EVAL_DIAGNOSTICS_H_
#define HALO_EVAL_CONTEXT_EVAL_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/eval/context/eval_diagnostics.def"
}  // namespace diag

inline constexpr std::array kEvalDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/eval/context/eval_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_EVAL_DIAGNOSTICS_H_
