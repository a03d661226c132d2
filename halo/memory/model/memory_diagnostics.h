// Diagnostic codes for buffer assignments and packing problems, from memory_diagnostics.def.
#ifndef HALO_MEMORY_MODEL_MEMORY_DIAGNOSTICS_H_
#define HALO_MEMORY_MODEL_MEMORY_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/memory/model/memory_diagnostics.def"
}  // namespace diag

inline constexpr std::array kMemoryDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/memory/model/memory_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_MEMORY_MODEL_MEMORY_DIAGNOSTICS_H_
