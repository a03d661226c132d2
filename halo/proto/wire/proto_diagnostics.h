// Diagnostic codes about HloProto, from proto_diagnostics.def.
#ifndef HALO_PROTO_WIRE_PROTO_DIAGNOSTICS_H_
#define HALO_PROTO_WIRE_PROTO_DIAGNOSTICS_H_

#include <array>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

namespace diag {
#define HALO_DIAGNOSTIC(code, severity, text, help) \
  inline constexpr DiagCode k##code{text, Severity::k##severity, help};
#include "halo/proto/wire/proto_diagnostics.def"
}  // namespace diag

inline constexpr std::array kProtoDiagnostics = {
#define HALO_DIAGNOSTIC(code, severity, text, help) diag::k##code,
#include "halo/proto/wire/proto_diagnostics.def"
};

}  // namespace halo

#endif  // HALO_PROTO_WIRE_PROTO_DIAGNOSTICS_H_
